extension Difference {
    /// What should have come instead.
    package var expectation: String {
        let message = message.map { "message \($0)" } ?? "a message"
        return switch kind {
        case .missing: "\(message) is shown"
        case .foreign, .hidden, .leaked, .unknown: "\(message) is not shown here"
        case .resurrected, .returned, .recalled, .expired: "\(message) is gone"
        case .unreadAgain: "\(message) is read"
        case .readByNobody: "\(message) is unread"
        case .listedTwice, .sentTwice: "\(message) is there once"
        case .order: "\(message) stands where its time and id put it"
        case .form: "an answer in the form that the description promises"
        case .content, .body: "\(message) is as it was sent"
        case .validator: "one validator for one list"
        case .refusal: "the request is accepted"
        case .count: "as many unread messages as the list shows"
        case .stale: "the answer tells what became of \(message)"
        case .device: "the device holds what the server tells"
        case .unheard: "the stream tells that \(message) is another"
        }
    }
}

extension Difference.Kind {
    /// The rule that such a difference breaks, in short; what is only a matter of form breaks none.
    var ruleWords: String {
        switch self {
        case .missing, .listedTwice: "nothing is lost, and nothing comes twice"
        case .foreign, .unknown: "a message is shown to its readers, as long as they are logged in"
        case .hidden: "a filter hides what is for another person"
        case .leaked: "tenants do not meet"
        case .resurrected: "deleted stays deleted"
        case .returned: "what the cap took is gone like what was deleted"
        case .recalled: "what is taken back is gone everywhere at once"
        case .expired: "expiry is exact"
        case .unreadAgain, .readByNobody: "read stays read until it is marked unread, and only readers read"
        case .sentTwice: "a send that is repeated sends nothing"
        case .count: "the count is the list"
        case .stale, .validator: "what was answered is in the very next list, on every instance"
        case .unheard: "who listens hears at once of what was answered"
        case .refusal: "what is right is not refused"
        case .order, .form, .content, .body, .device: ""
        }
    }
}
