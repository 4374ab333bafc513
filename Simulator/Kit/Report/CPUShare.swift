/// The part of one core that the simulator took, sampled now and then.
package struct CPUShare: Sendable, Equatable, Codable, Comparable {
    /// Parts of a core, summed over all samples.
    private var sum = 0.0
    package private(set) var samples = 0
    /// The largest part of all samples.
    package private(set) var highest = 0.0

    package init() {}

    package mutating func add(_ share: Double) {
        sum += share
        samples += 1
        highest = max(highest, share)
    }

    package mutating func add(_ later: CPUShare) {
        sum += later.sum
        samples += later.samples
        highest = max(highest, later.highest)
    }

    /// The mean part of a core; nothing if nobody looked.
    package var mean: Double? { samples > 0 ? sum / Double(samples) : nil }

    /// The busier process is the greater.
    package static func < (one: CPUShare, other: CPUShare) -> Bool { (one.mean ?? -1) < (other.mean ?? -1) }
}
