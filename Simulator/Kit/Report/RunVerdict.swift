/// Whether every inbox was right, and what was not.
package struct RunVerdict: Sendable, Equatable, Codable {
    /// Devices that had to be right.
    package var devices: Int
    /// Devices whose inbox was compared at the end and always right.
    package var right: Int
    /// How often what was found, by its kind.
    package var differences: [String: Int]
    /// The first differences, a line each.
    package var first: [String]
    /// The server was away for longer than the run rides out.
    package var wasAbandoned: Bool
    /// Somebody ended the run before its time.
    package var wasInterrupted: Bool

    /// Lines that a report keeps, of however many processes.
    static let kept = 20

    private enum CodingKeys: String, CodingKey {
        case devices, right, differences, first
        case wasAbandoned = "abandoned"
        case wasInterrupted = "interrupted"
    }

    package init(
        devices: Int, right: Int, differences: [String: Int] = [:], first: [String] = [],
        wasAbandoned: Bool = false, wasInterrupted: Bool = false
    ) {
        self.devices = devices
        self.right = right
        self.differences = differences
        self.first = first
        self.wasAbandoned = wasAbandoned
        self.wasInterrupted = wasInterrupted
    }

    /// The verdict on what a run found.
    package init(_ findings: Findings, devices: Int, right: Int) {
        let counts = findings.counts.map { ($0.key.rawValue, $0.value) }
        self.init(
            devices: devices, right: right, differences: Dictionary(uniqueKeysWithValues: counts),
            first: findings.first.map(\.words))
    }

    /// Differences of all kinds.
    package var count: Int { differences.values.reduce(0, +) }

    /// What can be said of all inboxes together.
    package enum Outcome: Sendable {
        /// Every inbox was right, and the run came to where that could be known.
        case right
        /// Nothing was wrong, but somebody ended the run before every inbox was compared.
        case undecided
        case wrong
    }

    package var outcome: Outcome {
        guard !wasAbandoned, count == 0 else { return .wrong }
        if right == devices { return .right }
        return wasInterrupted ? .undecided : .wrong
    }

    package var isRight: Bool { outcome == .right }

    /// The verdict in a line.
    package var words: String {
        let words =
            switch outcome {
            case .right: "every inbox was right: \(Words.number(right))"
            case .undecided:
                "UNDECIDED: nothing was wrong, \(Words.number(right)) of \(Words.number(devices)) inboxes were compared"
            case .wrong:
                "WRONG: \(Words.number(right)) of \(Words.number(devices)) inboxes were right, "
                    + "\(Words.number(count)) differences"
            }
        return words + notes.map { "; \($0)" }.joined()
    }

    /// What else must be known of how the run ended.
    package var notes: [String] {
        (wasAbandoned ? ["gave up, since the server stayed away"] : [])
            + (wasInterrupted ? ["the run was interrupted"] : [])
    }

    /// Kinds of differences, the most frequent first.
    package var kinds: [(kind: String, count: Int)] {
        differences.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// Says in each line which process it is from, since each numbers its devices.
    mutating func name(_ shards: RunShards) {
        guard shards.held.count == 1, let number = shards.held.first else { return }
        first = first.map { "shard \(number): \($0)" }
    }

    /// Takes in the verdict of another process on its own devices.
    package mutating func merge(_ other: RunVerdict) {
        devices += other.devices
        right += other.right
        differences.merge(other.differences, uniquingKeysWith: +)
        first = Array((first + other.first).prefix(RunVerdict.kept))
        wasAbandoned = wasAbandoned || other.wasAbandoned
        wasInterrupted = wasInterrupted || other.wasInterrupted
    }
}
