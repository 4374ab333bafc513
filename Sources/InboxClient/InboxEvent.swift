/// What an app may want to tell its user, or its developer.
public enum InboxEvent: Hashable, Sendable {
    /// The server refused a login, and says why: nobody is logged in now, unless a login was made since.
    case loginRefused(namedUser: String, reason: String)
    /// Somebody else changed who is logged in on this device: nobody is, as far as it knows.
    case loginChanged(LoginChange)
    /// Marks of these messages were refused and are given up.
    case marksRefused(messages: [String], reason: String)
    /// The server did not know the installation any more, and it was made anew: its own messages are gone.
    case installationReplaced
    /// The file of the inbox was damaged and has been replaced, when it was opened or since.
    ///
    /// If nobody listens then, the first who does is told.
    case storeRecovered(InboxRecovery)
    /// Something failed, and will be tried again.
    case trouble(InboxTrouble)

    /// Why a login is over.
    public enum LoginChange: Hashable, Sendable {
        /// The person was logged out by the app's backend.
        case loggedOut
        /// The app's backend logged another person in.
        case anotherPerson
        /// The person was erased, and is to be forgotten.
        case erased
    }
}

/// Why something is late.
public struct InboxTrouble: Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public let kind: Kind
    /// What is known of it, for developers; it holds no secret.
    public let description: String
    /// The least pause that the server asks for.
    public let retryAfter: Duration?

    /// Kinds of trouble.
    public enum Kind: Hashable, Sendable {
        /// No answer came: the device is offline, or the server is.
        case unreachable
        /// The server could not do it now.
        case busy
        /// The credential, or the app's key and secret, are not valid.
        case unauthorized
        /// The server refuses the request as it is, with this status.
        case refused(status: Int)
        /// The answer makes no sense: is this the right address?
        case unreadable
        /// The device's store could not keep it: it is lost if the app ends now.
        case storage
    }

    init(_ problem: SyncProblem) {
        kind =
            switch problem.kind {
            case .unreachable: .unreachable
            case .busy: .busy
            case .unauthorized: .unauthorized
            case .refused(let status): .refused(status: status)
            case .unreadable: .unreadable
            }
        description = problem.text
        retryAfter = problem.retryAfter
    }

    init(storage error: any Error) {
        kind = .storage
        description = "the store of the inbox failed: \(error)"
        retryAfter = nil
    }
}
