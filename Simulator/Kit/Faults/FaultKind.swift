/// What a fault proxy can do to a request, its answer or a connection.
package enum FaultKind: String, CaseIterable, Hashable, Sendable {
    /// The request or its answer is held for a while.
    case delay
    /// The request is swallowed, and nothing comes back: the connection is half open.
    case loss
    /// The answer ends in its middle, as if that were its end.
    case truncation
    /// The connection is reset before the request has reached a server.
    case resetBefore
    /// The connection is reset once the server has answered, and the client learns nothing of it.
    case resetUnanswered
    /// The connection is reset in the middle of the answer.
    case resetWithin
    /// The request is sent to a server once more before its answer is passed on.
    case repetition
    /// The request's upload stops for a while in its middle.
    case stall
    /// An open event stream carries nothing any more, while its connection stays.
    case freeze
    /// The connection is reset, and new ones are refused for a while.
    case refusal

    /// The kind for people, as something that was done.
    package var words: String {
        switch self {
        case .delay: "delayed"
        case .loss: "lost"
        case .truncation: "truncated"
        case .resetBefore: "reset before"
        case .resetUnanswered: "reset unanswered"
        case .resetWithin: "reset within"
        case .repetition: "repeated"
        case .stall: "stalled"
        case .freeze: "frozen"
        case .refusal: "refused"
        }
    }

    /// Its place in `allCases`.
    var index: Int {
        switch self {
        case .delay: 0
        case .loss: 1
        case .truncation: 2
        case .resetBefore: 3
        case .resetUnanswered: 4
        case .resetWithin: 5
        case .repetition: 6
        case .stall: 7
        case .freeze: 8
        case .refusal: 9
        }
    }
}
