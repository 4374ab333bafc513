/// How often something failed, by reason, with a bound on how many reasons are told apart.
package struct ReasonCounts: Sendable, Equatable {
    package private(set) var byReason: [String: Int] = [:]

    /// A run has a handful of reasons; more are texts that hold an address or a number.
    static let most = 24
    /// What further reasons are counted as.
    static let others = "other reasons"

    package init(_ byReason: [String: Int] = [:]) {
        for (reason, count) in byReason.sorted(by: { $0.key < $1.key }) { add(reason, count) }
    }

    /// Failures for all reasons.
    package var total: Int { byReason.values.reduce(0, +) }

    package mutating func add(_ reason: String, _ count: Int = 1) {
        let isKnown = byReason[reason] != nil || byReason.count < ReasonCounts.most
        byReason[isKnown ? reason : ReasonCounts.others, default: 0] += count
    }

    package mutating func merge(_ other: ReasonCounts) {
        for (reason, count) in other.sorted { add(reason, count) }
    }

    /// The most frequent first; of equal ones the first by name.
    package var sorted: [(reason: String, count: Int)] {
        byReason.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }
}

extension ReasonCounts: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([String: Int].self))
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(byReason)
    }
}
