/// Something that an answer showed and must not, or did not show and must.
package struct Difference: Hashable, Sendable {
    /// What is wrong.
    package enum Kind: String, Sendable, CaseIterable {
        /// A message that must be in the list is not.
        case missing = "misses a message"
        /// The list shows a message that is for others.
        case foreign = "shows a message that is for others"
        /// The list shows a message whose extras name another person, although the server is to hide it.
        case hidden = "shows a message that is hidden from whoever is logged in"
        /// The list shows a message of another app.
        case leaked = "shows a message of another app"
        /// The list shows a message that nobody of this run sent.
        case unknown = "shows a message that nobody sent"
        case resurrected = "shows a deleted message again"
        case returned = "shows a message again that had fallen out"
        case recalled = "shows a message that was taken back"
        case expired = "shows an expired message"
        case unreadAgain = "shows a message unread that was read"
        case readByNobody = "shows a message read that nobody read"
        case listedTwice = "shows a message twice"
        case sentTwice = "shows one send as two messages"
        case order = "is not in order"
        case form = "would be refused by a client"
        case content = "shows another text than was sent"
        case validator = "has a wrong validator"
        case refusal = "refuses what is right"
        case body = "is not the body that was sent"
        case count = "counts other unread messages than the list shows"
        case stale = "says that nothing changed, although something did"
        case device = "shows something else than the server told"
        case unheard = "does not tell of a change"
    }

    package let kind: Kind
    /// The rule of the product that was broken, by its number; nothing if it is the form of an answer.
    package var rule: Int? { kind.rule }

    /// The device's number; nothing if a backend's call is meant.
    package let device: Int?
    /// The message's number, if there is one.
    package let message: Int?
    /// What was read, such as `list` or `304`.
    package let source: String
    /// What a reader needs beside the rest; empty if nothing.
    package let detail: String
    /// When it was seen, in milliseconds of the run.
    package let milliseconds: Int64

    package init(
        _ kind: Kind, device: Int?, message: Int? = nil, in source: (name: String, milliseconds: Int64),
        detail: String = ""
    ) {
        self.kind = kind
        self.device = device
        self.message = message
        self.source = source.name
        self.detail = detail
        milliseconds = source.milliseconds
    }
}

extension Difference.Kind {
    /// The rule that such a difference breaks, by its number; nothing if it is the form of an answer.
    package var rule: Int? {
        switch self {
        case .missing: 3
        case .foreign, .unknown: 7
        case .hidden: 14
        case .leaked: 12
        case .resurrected, .returned: 4
        case .recalled: 10
        case .expired: 11
        case .unreadAgain, .readByNobody: 5
        case .sentTwice: 17
        case .count: 6
        case .stale, .validator, .unheard: 2
        case .refusal: 16
        case .listedTwice: 3
        case .order, .form, .content, .body, .device: nil
        }
    }
}

extension Difference {
    /// The same, as the fault of an answer that told of these messages only, and so left the others as they were.
    ///
    /// Time alone lets messages expire: that is no fault of saying nothing.
    package func blamed(on told: Set<Int>?) -> Difference {
        guard let told, let message, !told.contains(message) else { return self }
        switch kind {
        case .foreign, .hidden, .resurrected, .returned, .recalled, .unreadAgain, .readByNobody: break
        case .missing: if !told.isEmpty { return self }
        case .leaked, .unknown, .expired, .listedTwice, .sentTwice, .order, .form, .content, .validator,
            .refusal, .body, .count, .stale, .device, .unheard:
            return self
        }
        return Difference(
            .stale, device: device, message: message, in: (source, milliseconds), detail: detail)
    }
}
