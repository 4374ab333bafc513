/// Counts of durations in buckets that grow with them, so that a percentile is right within a stated part.
///
/// What it says of a percentile is never below the true one, and above it by at most `relativeError` and, since
/// durations are counted in whole microseconds, one microsecond. Count, mean and maximum are exact.
package struct Histogram: Sendable, Equatable {
    /// Each doubling of a duration has 2 to the power of this many buckets.
    package private(set) var precision: Int
    /// Counts by bucket, as far as the longest duration reaches.
    private(set) var counts: [Int] = []
    /// How many durations were added.
    package private(set) var count = 0
    private(set) var sumMicroseconds: Int64 = 0
    private(set) var maxMicroseconds: Int64 = 0

    /// Sixty-four buckets to each doubling, for the whole of a run: 1.6 %.
    package static let finePrecision = 6
    /// Sixteen buckets to each doubling, for one of many seconds: 6.3 %.
    package static let coarsePrecision = 4
    /// Twelve days: beyond what any run lasts, and a bound on what a histogram takes.
    static let longestMicroseconds: Int64 = 1 << 40

    package init(precision: Int = Histogram.finePrecision) {
        precondition((0...Histogram.finePrecision).contains(precision), "a histogram has few buckets")
        self.precision = precision
    }

    /// The part by which a percentile may be too high.
    package var relativeError: Double { 1 / Double(1 << precision) }

    /// Counts a duration: a few additions, and memory only when it is the longest so far.
    package mutating func add(_ duration: Duration) { add(microseconds: duration.microseconds) }

    /// Counts a duration that was converted already.
    mutating func add(microseconds: Int64) {
        let microseconds = min(max(0, microseconds), Histogram.longestMicroseconds)
        count += 1
        sumMicroseconds += microseconds
        maxMicroseconds = max(maxMicroseconds, microseconds)
        add(1, to: bucket(of: microseconds))
    }

    /// Counts all that the other counted; the coarser precision of both remains.
    package mutating func merge(_ other: Histogram) {
        if other.precision < precision { self = coarsened(to: other.precision) }
        for (bucket, number) in other.counts.enumerated() where number > 0 {
            add(number, to: self.bucket(of: other.range(of: bucket).lowerBound))
        }
        count += other.count
        sumMicroseconds += other.sumMicroseconds
        maxMicroseconds = max(maxMicroseconds, other.maxMicroseconds)
    }

    // MARK: Reading

    /// The duration that `percent` of all do not exceed, such as 99.9; nothing without any.
    package func percentile(_ percent: Double) -> Duration? {
        guard count > 0 else { return nil }
        // A rank is a whole number: without the small step, 99.9 % of 1000 would be the 1000th for want of a bit.
        var left = Int((Double(count) * percent / 100 - 1e-6).rounded(.up))
        for (bucket, number) in counts.enumerated() where number > 0 {
            left -= number
            if left <= 0 { return .microseconds(min(range(of: bucket).upperBound - 1, maxMicroseconds)) }
        }
        return longest
    }

    /// The longest duration, exactly; nothing without any.
    package var longest: Duration? { count > 0 ? .microseconds(maxMicroseconds) : nil }

    /// The mean of all durations; nothing without any.
    package var mean: Duration? { count > 0 ? .microseconds(sumMicroseconds / Int64(count)) : nil }

    /// The buckets that hold something, shortest durations first.
    package var buckets: [Bucket] {
        counts.indices.filter { counts[$0] > 0 }.map {
            Bucket(microseconds: range(of: $0), count: counts[$0])
        }
    }

    /// Durations of about one length.
    package struct Bucket: Sendable, Equatable {
        /// From the shortest duration to that from which the next bucket counts.
        package let microseconds: Range<Int64>
        package let count: Int
    }

    // MARK: Buckets

    /// Below two doublings every microsecond has a bucket; above, the leading bits choose it.
    private func bucket(of microseconds: Int64) -> Int {
        let shift = max(0, 63 - precision - (microseconds | 1).leadingZeroBitCount)
        return (shift << precision) + Int(microseconds >> Int64(shift))
    }

    private func range(of bucket: Int) -> Range<Int64> {
        let shift = max(0, (bucket >> precision) - 1)
        let leading = Int64(bucket - (shift << precision))
        return leading << Int64(shift)..<(leading + 1) << Int64(shift)
    }

    private mutating func add(_ number: Int, to bucket: Int) {
        if bucket >= counts.count {
            counts += repeatElement(0, count: bucket + 1 - counts.count)
        }
        counts[bucket] += number
    }

    private func coarsened(to precision: Int) -> Histogram {
        var coarse = Histogram(precision: precision)
        for (bucket, number) in counts.enumerated() where number > 0 {
            coarse.add(number, to: coarse.bucket(of: range(of: bucket).lowerBound))
        }
        (coarse.count, coarse.sumMicroseconds, coarse.maxMicroseconds) = (
            count, sumMicroseconds, maxMicroseconds
        )
        return coarse
    }
}

extension Histogram: Codable {
    private enum Key: String, CodingKey {
        case precision
        case sum = "sum_us"
        case max = "max_us"
        case counts
    }

    /// Reads what `encode` wrote, and holds it to what `add` could have made.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        precision = try values.decode(Int.self, forKey: .precision)
        sumMicroseconds = try values.decode(Int64.self, forKey: .sum)
        maxMicroseconds = try values.decode(Int64.self, forKey: .max)
        let pairs = try values.decode([Int].self, forKey: .counts)
        let isWhole =
            (0...Histogram.finePrecision).contains(precision) && sumMicroseconds >= 0
            && (0...Histogram.longestMicroseconds).contains(maxMicroseconds) && pairs.count % 2 == 0
            && pairs.allSatisfy { (0...Histogram.mostInFile).contains($0) }
        guard isWhole, fill(from: pairs) else {
            throw DecodingError.dataCorruptedError(
                forKey: .counts, in: values, debugDescription: "no counts of durations")
        }
    }

    /// Writes buckets that hold something, as pairs: how far from the bucket before, and how many.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(precision, forKey: .precision)
        try values.encode(sumMicroseconds, forKey: .sum)
        try values.encode(maxMicroseconds, forKey: .max)
        var (pairs, before): ([Int], Int) = ([], 0)
        for (bucket, number) in counts.enumerated() where number > 0 {
            pairs += [bucket - before, number]
            before = bucket
        }
        try values.encode(pairs, forKey: .counts)
    }

    /// Keeps sums of a few files from overflowing.
    private static let mostInFile = 1 << 50

    /// False if there are more buckets than the longest duration has.
    private mutating func fill(from pairs: [Int]) -> Bool {
        let last = self.bucket(of: maxMicroseconds)
        var bucket = 0
        for index in stride(from: 0, to: pairs.count, by: 2) {
            bucket += pairs[index]
            guard bucket <= last else { return false }
            add(pairs[index + 1], to: bucket)
            count += pairs[index + 1]
        }
        return true
    }
}
