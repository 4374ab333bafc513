package import ClientCore
package import InboxModel
import Platform

/// What a sync core wants to be asked of the server; one at a time.
package enum SyncCall: Hashable, Sendable {
    /// Registers the installation; again changes nothing.
    case register(Installation)
    /// Logs a person in, or whoever is logged in out.
    case logIn(Login)
    case mark(MessageMark, [MarkTarget])
    /// The whole view, unless it is still what the validator stands for.
    case list(validator: String?)
    /// What changed since a cursor.
    case changes(since: String)

    /// Whether it asks for messages.
    package var isRefresh: Bool {
        switch self {
        case .list, .changes: true
        case .register, .logIn, .mark: false
        }
    }

    /// Whether only a good credential has success with it.
    package var needsCredential: Bool {
        switch self {
        case .register: false
        case .logIn, .mark, .list, .changes: true
        }
    }
}

/// A message to be marked.
package struct MarkTarget: Hashable, Sendable {
    package let id: MessageID
    /// What the device interface knows it by; nothing if it came another way or is not held any more.
    package let reporting: [UInt8]?

    package init(_ id: MessageID, reporting: [UInt8]? = nil) {
        self.id = id
        self.reporting = reporting
    }
}

/// What became of a call.
package enum SyncOutcome: Hashable, Sendable {
    case registered(InboxCredential)
    /// A login, logout or marks were accepted.
    case done
    case page(SyncPage)
    /// The view is what the validator stands for.
    case unchanged
    case failed(SyncProblem)

    /// Whether it may be the word of somebody between, whose clock is nobody's.
    var isFailure: Bool {
        switch self {
        case .failed: true
        case .registered, .done, .page, .unchanged: false
        }
    }
}

/// A part of a view, or the whole.
package struct SyncPage: Hashable, Sendable {
    package var changed: [MessageRow] = []
    package var removed: [MessageID] = []
    /// Whether `changed` is all there is.
    package var isWhole = false
    package var cursor: String?
    package var validator: String?
    /// Whether there is more to ask for with the cursor.
    package var hasMore = false
    /// Unread messages of the whole view, as the server counts; nothing where it does not tell.
    package var unreadCount: Int?
    /// Messages that could not be read and are left out.
    package var damaged = 0
    /// Answers that were gathered into it.
    package var parts = 0

    package init() {}
}

/// Why a call was in vain.
package struct SyncProblem: Error, Hashable, Sendable {
    package let kind: Kind
    /// For people, never with a secret in it.
    package let text: String
    /// The least pause that the server asks for.
    package var retryAfter: Duration?

    package enum Kind: Hashable, Sendable {
        /// No whole answer came: whether the server acted is unknown.
        case unreachable
        /// The server could not do it now: 429, or 5xx.
        case busy
        /// The credential is void: 401.
        case unauthorized
        /// The server refuses the request as it is: any other 4xx.
        case refused(status: Int)
        /// The answer makes no sense: another server, or another version.
        case unreadable
    }

    package init(_ kind: Kind, _ text: String, retryAfter: Duration? = nil) {
        self.kind = kind
        self.text = text
        self.retryAfter = retryAfter
    }
}
