public import Foundation

/// Why an inbox does not do what it was asked.
public enum InboxClientError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The configuration cannot be used; every problem of it.
    case badConfiguration([String])
    /// The store in the configured folder could not be opened or read.
    case storeUnusable(String)
    /// It was done and is shown, but the store could not keep it: it is lost if the app ends before the next change.
    case notKept(String)
    /// An id of a named user that no server takes, and why.
    case badNamedUser(String)
    /// A proof that no server takes, and why.
    case badProof(String)
    /// The refresh took longer than it was given; it goes on.
    case timedOut
    /// There is no such message here: it is unknown, expired, deleted or not for whoever is logged in.
    case noSuchMessage
    /// The server does not know this device yet.
    case notRegistered
    /// The server's interface cannot do that.
    case notSupported(String)
    /// The inbox was closed.
    case closed

    /// What is wrong, also where only the localized description is asked for.
    public var errorDescription: String? { description }

    /// What is wrong, for developers.
    public var description: String {
        switch self {
        case .badConfiguration(let problems):
            "the configuration of the inbox is wrong: " + problems.joined(separator: "; ")
        case .storeUnusable(let reason): "the store of the inbox cannot be used: \(reason)"
        case .notKept(let reason): "the store of the inbox did not keep the change: \(reason)"
        case .badNamedUser(let reason): "the id of the named user \(reason)"
        case .badProof(let reason): "the proof \(reason)"
        case .timedOut: "the refresh timed out"
        case .noSuchMessage: "there is no such message in this inbox"
        case .notRegistered: "the device is not registered with the server yet"
        case .notSupported(let what): "the server's interface knows no \(what)"
        case .closed: "the inbox was closed"
        }
    }
}
