import Platform
import Testing

@Suite struct RateLimiterTests {
    private let start = Duration.seconds(1_000)

    @Test func `a burst passes, and what is beyond it waits for the next token`() {
        var limiter = RateLimiter(rate: 2, burst: 3, keys: 10)
        let waits = (0..<5).map { _ in limiter.take(7, at: start) }
        #expect(waits == [nil, nil, nil, .milliseconds(500), .milliseconds(500)])
    }

    @Test(
        arguments: [
            (.milliseconds(499), .milliseconds(1)), (.milliseconds(500), nil), (.milliseconds(501), nil),
        ] as [(Duration, Duration?)])
    func `a token comes back after its time, not before`(later: Duration, wait: Duration?) {
        var limiter = RateLimiter(rate: 2, burst: 3, keys: 10)
        for _ in 0..<3 { _ = limiter.take(7, at: start) }
        #expect(limiter.take(7, at: start + later) == wait)
    }

    @Test func `asking how long to wait says what taking would, and takes nothing`() {
        var limiter = RateLimiter(rate: 2, burst: 2, keys: 10)
        for _ in 0..<5 { #expect(limiter.wait(7, at: start) == nil) }
        #expect(limiter.keys == 0)
        for _ in 0..<2 {
            #expect(limiter.wait(7, at: start) == nil)
            #expect(limiter.take(7, at: start) == nil)
        }
        for _ in 0..<5 { #expect(limiter.wait(7, at: start) == .milliseconds(500)) }
        #expect(limiter.take(7, at: start) == .milliseconds(500))
        #expect(limiter.wait(7, at: start + .milliseconds(499)) == .milliseconds(1))
        #expect(limiter.wait(7, at: start + .milliseconds(500)) == nil)
        #expect(limiter.wait(8, at: start) == nil)
    }

    @Test func `refused attempts cost nothing`() {
        var limiter = RateLimiter(rate: 1, burst: 1, keys: 10)
        #expect(limiter.take(7, at: start) == nil)
        for _ in 0..<100 { #expect(limiter.take(7, at: start) != nil) }
        #expect(limiter.take(7, at: start + .seconds(1)) == nil)
    }

    @Test func `after a long time there is one burst again, and no more`() {
        var limiter = RateLimiter(rate: 10, burst: 5, keys: 10)
        for _ in 0..<5 { _ = limiter.take(7, at: start) }
        let later = start + .seconds(86_400)
        let passed = (0..<20).filter { _ in limiter.take(7, at: later) == nil }.count
        #expect(passed == 5)
    }

    @Test func `a steady caller at the rate always passes, a faster one as often as the rate says`() {
        var limiter = RateLimiter(rate: 100, burst: 10, keys: 10)
        let steady = (0..<1_000).filter { limiter.take(1, at: start + .milliseconds(10 * $0)) == nil }
        let fast = (0..<1_000).filter { limiter.take(2, at: start + .milliseconds(5 * $0)) == nil }
        #expect(steady.count == 1_000)
        #expect(fast.count == 509)  // 10 at once, and one in every 10 of the 4,995 ms
    }

    @Test func `keys do not share their buckets`() {
        var limiter = RateLimiter(rate: 1, burst: 1, keys: 10)
        let waits = (0..<10).map { limiter.take($0, at: start) }
        #expect(waits.allSatisfy { $0 == nil })
        #expect(limiter.take(9, at: start) == .seconds(1))
    }

    @Test(arguments: [(99, 99), (100, 100), (101, 100), (100_000, 100)])
    func `no more keys are remembered than the limit`(keys: Int, remembered: Int) {
        var limiter = RateLimiter(rate: 1, burst: 1, keys: 100)
        for key in 0..<UInt64(keys) { #expect(limiter.take(key, at: start) == nil) }
        #expect(limiter.keys == remembered)
        let refused = (0..<UInt64(keys)).filter { limiter.take($0, at: start) != nil }.count
        #expect(refused <= remembered)
        #expect(refused >= min(keys, remembered) / 2)
    }

    @Test func `who has used most is remembered longest`() {
        var limiter = RateLimiter(rate: 1, burst: 100, keys: 1_000)
        for _ in 0..<100 { _ = limiter.take(0, at: start) }
        for key in 1...UInt64(100_000) { _ = limiter.take(key, at: start) }
        #expect(limiter.take(0, at: start) == .seconds(1))
        #expect(limiter.keys == 1_000)
    }

    @Test func `keys whose buckets are full again are forgotten as others come`() {
        var limiter = RateLimiter(rate: 1, burst: 2, keys: 100_000)
        for key in 0..<UInt64(1_000) { _ = limiter.take(key, at: start) }
        #expect(limiter.keys == 1_000)
        for key in 1_000..<UInt64(2_000) { _ = limiter.take(key, at: start + .seconds(2)) }
        #expect(limiter.keys == 1_000)
    }
}
