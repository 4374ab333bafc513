/// A fault of the store: travels to the edge untouched and is 5xx there, never 401 or 404.
package enum StoreFault: Error, Sendable {
    /// Not reachable, or too busy to answer in time: nothing was done, try again.
    case unavailable(String)
    /// A write whose connection broke before its commit was known: it may have been done.
    case outcomeUnknown
    /// Anything else; the text holds no bound values.
    case broken(String)
}

extension StoreFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let reason): "store unavailable: \(reason)"
        case .outcomeUnknown: "outcome of a write unknown"
        case .broken(let reason): "store broken: \(reason)"
        }
    }
}

/// What use cases need of the store.
///
/// Confined to one loop; each call is durable when it returns. Throws `StoreFault`, and `InboxError` where a refusal is
/// named. Another app's id is answered like an unknown one.
package typealias InboxStore = ViewStore & StreamStore & ChannelStore & PeopleStore & SessionStore
    & SendStore & ScheduleStore & AppStore & SettingsStore & EventStore
    & PrivacyStore
