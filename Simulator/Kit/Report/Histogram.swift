/// Counts of durations in buckets that grow with them: sixteen to each doubling, so a percentile is right within 6 %.
package struct Histogram: Sendable {
    private var counts = [Int](repeating: 0, count: 16 * 40)
    /// How many durations were added.
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ duration: Duration) {
        count += 1
        counts[Histogram.bucket(of: UInt64(max(0, duration.microseconds)))] += 1
    }

    /// The duration that `percent` of all do not exceed, as the upper end of its bucket; nothing without any.
    package func percentile(_ percent: Int) -> Duration? {
        guard count > 0 else { return nil }
        var left = (count * percent + 99) / 100
        for (bucket, count) in counts.enumerated() {
            left -= count
            if left <= 0 { return .microseconds(Histogram.end(of: bucket)) }
        }
        return nil
    }

    private static func bucket(of microseconds: UInt64) -> Int {
        guard microseconds >= 16 else { return Int(microseconds) }
        let doubling = 63 - microseconds.leadingZeroBitCount
        let part = Int(microseconds >> UInt64(doubling - 4)) & 15
        return min((doubling - 3) * 16 + part, 16 * 40 - 1)
    }

    private static func end(of bucket: Int) -> Int64 {
        guard bucket >= 16 else { return Int64(bucket) }
        let (doubling, part) = (bucket / 16 + 3, bucket % 16)
        return (Int64(17 + part) << Int64(doubling - 4)) - 1
    }
}
