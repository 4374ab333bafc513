/// What was counted over the whole of a run.
package struct RunTotals: Sendable, Equatable, Codable {
    /// Times of answers other than 304, by kind of request.
    package var calls: [String: Histogram] = [:]
    /// Times of answers that said nothing had changed.
    package var notModified = Histogram()
    /// Times until it was known that no answer would come.
    package var failed = Histogram()
    /// Answers by status.
    package var statuses: [Int: Int] = [:]
    /// What went wrong, by reason: no answer, 5xx, 429.
    package var errors = ReasonCounts()
    package var reach = Reach()
    /// From when a message was accepted on one device to when another knew it.
    package var lag = Histogram()
    package var timeline = Timeline()

    private enum CodingKeys: String, CodingKey {
        case calls
        case notModified = "not_modified"
        case failed, statuses, errors, reach, lag, timeline
    }

    package init() {}

    /// Times of all answers, 304 included.
    package var answers: Histogram {
        calls.values.reduce(into: notModified) { $0.merge($1) }
    }

    /// Kinds of requests that were answered, in the order in which the program knows them, others behind.
    package var callNames: [String] {
        let known = Call.all.map(\.rawValue).filter { calls[$0] != nil }
        return known + calls.keys.filter { Call(rawValue: $0) == nil }.sorted()
    }

    /// Takes in what another process counted, whose load began so many seconds later.
    package mutating func merge(_ other: RunTotals, after seconds: Int = 0) {
        for (name, histogram) in other.calls {
            calls[name, default: Histogram(precision: histogram.precision)].merge(histogram)
        }
        notModified.merge(other.notModified)
        failed.merge(other.failed)
        statuses.merge(other.statuses, uniquingKeysWith: +)
        errors.merge(other.errors)
        reach.merge(other.reach)
        lag.merge(other.lag)
        timeline.merge(other.timeline, after: seconds)
    }
}
