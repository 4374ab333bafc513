/// The differences of a run: all counted, the first ones kept.
package struct Findings: Sendable {
    package private(set) var first: [Difference] = []
    package private(set) var counts: [Difference.Kind: Int] = [:]
    /// Devices whose inbox was wrong at least once.
    package private(set) var devices: Set<Int> = []
    private var seen: Set<Finding> = []

    /// Differences that are kept for reading.
    private static let kept = 20
    /// Differences remembered so that one is not counted at each refresh; beyond, it may be.
    private static let remembered = 100_000

    private struct Finding: Hashable {
        let kind: Difference.Kind
        let device: Int?
        let message: Int?
    }

    package init() {}

    package var count: Int { counts.values.reduce(0, +) }

    package mutating func add(_ difference: Difference) {
        let finding = Finding(kind: difference.kind, device: difference.device, message: difference.message)
        guard !seen.contains(finding) else { return }
        if seen.count < Findings.remembered { seen.insert(finding) }
        counts[difference.kind, default: 0] += 1
        if let device = difference.device { devices.insert(device) }
        if first.count < Findings.kept { first.append(difference) }
    }
}
