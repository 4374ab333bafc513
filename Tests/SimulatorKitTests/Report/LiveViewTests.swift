import Testing

@testable import SimulatorKit

struct LiveViewTests {
    private static var snapshot: LiveSnapshot {
        var latency = Histogram()
        for microseconds in 1...1000 { latency.add(.microseconds(microseconds * 10)) }
        var lag = Histogram()
        lag.add(.milliseconds(12))
        return LiveSnapshot(
            phase: "load", elapsed: .seconds(42), total: .seconds(120), differences: 0, devices: 10_000,
            connected: 256, rate: 4812, latency: latency, errorRate: 0, errors: 12,
            reach: Reach(expected: 10_000, received: 9998), lag: lag, cpu: 0.412, loopLag: latency,
            highTimes: [.milliseconds(1), .milliseconds(4), nil, .milliseconds(8)])
    }

    @Test func `a terminal shows a handful of lines`() {
        #expect(
            LiveView(width: 80, isColoured: false).lines(LiveViewTests.snapshot) == [
                "load       ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 0:42 of 2:00",
                "devices    10,000 standing, 256 connections",
                "requests   4,812/s  p50 5.06 ms  p99 9.98 ms  p99.9 10 ms",
                "p99, 1 min ▂▅ █",
                "errors     12  differences 0",
                "reach      99.98 %  sync lag p50 12 ms  p99 12 ms",
                "simulator  41 % of a core  own lag p99 9.98 ms",
            ])
    }

    @Test func `what is wrong is red, what is right is green`() {
        var snapshot = LiveViewTests.snapshot
        (snapshot.differences, snapshot.errorRate, snapshot.cpu) = (2, 1.5, 0.95)
        let lines = LiveView(width: 80, isColoured: true).lines(snapshot)
        #expect(
            lines[4].hasPrefix(
                "\u{1B}[2merrors     \u{1B}[0m\u{1B}[31m12\u{1B}[0m\u{1B}[31m (1.5/s)\u{1B}[0m"))
        #expect(lines[4].hasSuffix("\u{1B}[31m2\u{1B}[0m"))
        #expect(lines[6].contains("\u{1B}[31m95 %\u{1B}[0m"))
        #expect(
            LiveView(width: 80, isColoured: true).lines(LiveViewTests.snapshot)[4].hasSuffix(
                "\u{1B}[32m0\u{1B}[0m"))
    }

    @Test(arguments: [0, 1, 12, 30, 79])
    func `no line is wider than the terminal`(width: Int) {
        for line in LiveView(width: width, isColoured: false).lines(LiveViewTests.snapshot) {
            #expect(line.count <= width)
        }
    }

    @Test func `a view is drawn over the one before`() {
        #expect(LiveView.redrawn(["a"], over: 0) == "\r\u{1B}[2Ka\n\u{1B}[J")
        #expect(LiveView.redrawn(["a", "b"], over: 2) == "\u{1B}[2A\r\u{1B}[2Ka\n\r\u{1B}[2Kb\n\u{1B}[J")
    }

    @Test func `without a terminal a moment is a line`() {
        #expect(
            LiveViewTests.snapshot.words
                == "load 0:42 of 2:00, 10,000 devices, 4,812 requests/s, p50 5.06 ms, p99 9.98 ms, p99.9 10 ms, "
                + "errors 12, reach 99.98 %, sync lag p99 12 ms, differences 0, own CPU 41 %, "
                + "own lag p99 9.98 ms")
    }

    @Test func `what is not known is a dash`() {
        let snapshot = RunRecorder().snapshot("registering", at: .seconds(1), of: nil, differences: 0)
        let lines = LiveView(width: 80, isColoured: false).lines(snapshot)
        #expect(lines[0] == "registering 0:01")
        #expect(lines[1] == "devices    – standing, – connections")
    }
}
