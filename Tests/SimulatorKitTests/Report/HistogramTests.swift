import Foundation
import Platform
import Testing

@testable import SimulatorKit

struct HistogramTests {
    @Test(arguments: [Histogram.finePrecision, Histogram.coarsePrecision], [1, 2, 3] as [UInt64])
    func `a percentile is never below the exact one, and above it by the stated part at most`(
        precision: Int, seed: UInt64
    ) throws {
        var (histogram, random) = (Histogram(precision: precision), SeededRandom(seed: seed))
        let exact = (0..<5000).map { _ in HistogramTests.duration(&random) }.sorted()
        for microseconds in exact { histogram.add(.microseconds(microseconds)) }
        for percent in [0.1, 1, 25, 50, 90, 99, 99.9, 99.99, 100] {
            let rank = Int((Double(exact.count) * percent / 100 - 1e-6).rounded(.up))
            let truth = Double(exact[max(0, rank - 1)])
            let found = Double(try #require(histogram.percentile(percent)).microseconds)
            #expect(found >= truth && found <= truth * (1 + histogram.relativeError))
        }
        #expect(histogram.longest == .microseconds(exact[4999]))
        #expect(histogram.mean == .microseconds(exact.reduce(0, +) / 5000))
    }

    /// From a microsecond to hours, as often short as long.
    private static func duration(_ random: inout SeededRandom) -> Int64 {
        Int64.random(in: 0..<(1 << Int64.random(in: 1...34, using: &random)), using: &random)
    }

    @Test func `short durations are told exactly`() {
        for microseconds in Int64(0)...127 {
            var histogram = Histogram()
            histogram.add(.microseconds(microseconds))
            #expect(histogram.percentile(50) == .microseconds(microseconds))
        }
    }

    @Test func `merging is adding all to one`() {
        var random = SeededRandom(seed: 7)
        var (one, other, all) = (Histogram(), Histogram(), Histogram())
        for index in 0..<3000 {
            let duration = Duration.microseconds(HistogramTests.duration(&random))
            if index % 3 == 0 { one.add(duration) } else { other.add(duration) }
            all.add(duration)
        }
        one.merge(other)
        #expect(one == all)
        one.merge(Histogram())
        #expect(one == all)
    }

    @Test func `merging a coarser one is adding all to a coarse one`() {
        var (fine, coarse) = (Histogram(), Histogram(precision: Histogram.coarsePrecision))
        var all = coarse
        for microseconds in stride(from: 1, to: 900_000, by: 731) {
            fine.add(.microseconds(microseconds))
            coarse.add(.microseconds(microseconds * 3))
            all.add(.microseconds(microseconds))
            all.add(.microseconds(microseconds * 3))
        }
        fine.merge(coarse)
        #expect(fine == all)
    }

    @Test func `buckets hold all durations, in order and without overlap`() {
        var (histogram, random) = (Histogram(), SeededRandom(seed: 3))
        for _ in 0..<2000 { histogram.add(.microseconds(HistogramTests.duration(&random))) }
        let buckets = histogram.buckets
        #expect(buckets.reduce(0) { $0 + $1.count } == 2000)
        for (one, next) in zip(buckets, buckets.dropFirst()) {
            #expect(one.microseconds.upperBound <= next.microseconds.lowerBound)
        }
    }

    @Test func `without durations nothing is told, and what is out of bounds counts as the bound`() {
        var histogram = Histogram()
        #expect(histogram.percentile(50) == nil && histogram.longest == nil && histogram.mean == nil)
        histogram.add(.seconds(-5))
        #expect(histogram.longest == .zero)
        histogram.add(.seconds(1 << 40))
        #expect(histogram.longest == .microseconds(Histogram.longestMicroseconds))
    }

    @Test func `a file holds few numbers and gives the same back`() throws {
        var histogram = Histogram()
        for _ in 0..<1000 { histogram.add(.milliseconds(2)) }
        histogram.add(.seconds(3))
        let data = try JSONEncoder().encode(histogram)
        #expect(data.count < 100)
        #expect(try JSONDecoder().decode(Histogram.self, from: data) == histogram)
    }

    @Test(arguments: [
        #"{"precision":6,"sum_us":5,"max_us":5,"counts":[5]}"#,
        #"{"precision":6,"sum_us":5,"max_us":5,"counts":[6,1]}"#,
        #"{"precision":6,"sum_us":5,"max_us":5,"counts":[5,-1]}"#,
        #"{"precision":60,"sum_us":5,"max_us":5,"counts":[5,1]}"#,
        #"{"precision":6,"sum_us":5,"max_us":9223372036854775807,"counts":[5,1]}"#,
        #"{"precision":6,"sum_us":5,"max_us":5,"counts":[4611686018427387904,1]}"#,
    ])
    func `counts that nothing could have made are refused`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Histogram.self, from: Data(json.utf8))
        }
    }
}
