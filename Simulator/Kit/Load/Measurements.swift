/// What a request was for.
package enum Call: String, Sendable, CaseIterable {
    case channel, token, user, login, list, changes, count, page, read, unread, delete, message, body, stream,
        send, recall
}

/// Counts and times of a run's requests.
package struct Measurements: Sendable {
    /// Whole lists and what else answered other than 304.
    package private(set) var answered: [Call: Histogram] = [:]
    package private(set) var notModified = Histogram()
    /// Answers by status.
    package private(set) var statuses: [Int: Int] = [:]
    /// Requests without an answer that counts: connection lost, 5xx, 429.
    package private(set) var unanswered = 0
    package private(set) var checkedLists = 0

    package init() {}

    package mutating func count(_ call: Call, status: Int, after duration: Duration) {
        statuses[status, default: 0] += 1
        if call == .list, status == 304 {
            notModified.add(duration)
        } else {
            answered[call, default: Histogram()].add(duration)
        }
    }

    mutating func countUnanswered() { unanswered += 1 }

    mutating func countChecked() { checkedLists += 1 }

    /// How many whole answers a kind of request got.
    package func count(of call: Call) -> Int { answered[call]?.count ?? 0 }
}
