import Platform
import SimulatorKit
import Testing

struct MeasurementTests {
    @Test func `percentiles are right within a sixty-fourth`() throws {
        var histogram = Histogram()
        for microseconds in 1...10_000 { histogram.add(.microseconds(microseconds)) }
        let middle = try #require(histogram.percentile(50)).inSeconds * 1_000_000
        let high = try #require(histogram.percentile(99)).inSeconds * 1_000_000
        #expect((5000...5079).contains(middle))
        #expect((9900...10_055).contains(high))
    }

    @Test func `without measurements there is no percentile`() {
        #expect(Histogram().percentile(50) == nil)
    }

    @Test func `the first differences are kept and the others counted, each once`() {
        var findings = Findings()
        for message in 0..<30 {
            for milliseconds in [Int64(1), 2] {
                findings.add(Difference(.missing, device: 3, message: message, in: ("list", milliseconds)))
            }
        }
        #expect(findings.first.map(\.message) == Array(0..<20))
        #expect(findings.count == 30)
        #expect(findings.devices == [3])
    }

    @Test func `parts of one seed repeat, and differ from each other`() {
        func draws(_ part: Int) -> [UInt64] {
            var random = SeededRandom.part(part, of: 42)
            return (0..<4).map { _ in random.next() }
        }
        #expect(draws(1) == draws(1))
        #expect(Set((0..<100).flatMap(draws)).count == 400)
    }

    @Test func `the generator is the published one`() {
        var random = SeededRandom(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }
}
