import Platform
import Testing

@testable import SimulatorKit

struct RunTableTests {
    @Test func `the table tells all, the verdict last`() {
        var recorder = RunRecorder()
        for index in 1...1000 {
            recorder.request(.list, .status(200), after: .microseconds(index * 10), at: .milliseconds(index))
        }
        recorder.request(.send, .status(503), after: .milliseconds(7), at: .seconds(1))
        recorder.expected(3, at: .seconds(1))
        recorder.received(after: .milliseconds(30), at: .seconds(1))
        var record = RunRecord(
            "a run", run: "r", by: "t", started: Instant(seconds: 0), loadTime: .seconds(2),
            verdict: RunVerdict(devices: 2, right: 1, differences: ["misses a message": 21], first: ["first"])
        )
        record.totals = recorder.totals
        record.own = recorder.own(Usage(cpu: .milliseconds(300), peakBytes: 64 << 20))
        (record.sends.answered, record.unanswered, record.checked) = (3, 1, 1000)
        #expect(
            RunTable(record).lines == [
                "a run", "", "2 s of load, 501/s answered",
                "sends: 3 answered, 0 not (0 of them arrived), 0 to everyone, 0 short-lived, 0 recalled",
                "lists checked: 1,000; answers 304: 0",
                "reach: 33.33 %, 1 of 3 messages received",
                "sync lag: p50 30 ms, p90 30 ms, p99 30 ms, p99.9 30 ms, max 30 ms", "",
                "       answers       p50       p90       p99   p99.9     max",
                "list     1,000   5.06 ms   9.09 ms   9.98 ms   10 ms   10 ms",
                "send         1      7 ms      7 ms      7 ms    7 ms    7 ms", "",
                "answers: 200: 1,000, 503: 1; unanswered: 1", "errors: status 503: 1",
                "simulator: 0.3 s of CPU (– of a core), at most 64 MiB, own lag p99 –", "",
                "21 × misses a message", "  first", "  and 20 more",
                "WRONG: 1 of 2 inboxes were right, 21 differences",
            ])
    }

    @Test func `hints are told of where streams had something to tell`() {
        var record = RunSample.record(seconds: 1)
        #expect(!RunTable(record).lines.contains { $0.hasPrefix("hints") })
        (record.hints.expected, record.hints.heard, record.hints.unjudged) = (1203, 1200, 2)
        #expect(RunTable(record).lines.contains("hints: 1,200 of 1,203 heard, 2 not judged"))
    }

    @Test(arguments: [
        (0, "0 µs"), (999, "999 µs"), (1000, "1 ms"), (1234, "1.23 ms"), (12_345, "12.3 ms"),
        (999_400, "999 ms"),
        (999_600, "1 s"), (95_400_000, "95.4 s"), (3_600_000_000, "3600 s"),
    ])
    func `a duration has three digits at most`(microseconds: Int, words: String) {
        #expect(Words.duration(.microseconds(microseconds)) == words)
    }

    @Test(arguments: [
        (0.31, "0.3 s"), (99.2, "99.2 s"), (150, "2 min 30 s"), (3000, "50 min"), (3930, "1 h 5 min"),
    ])
    func `how long a run was has two parts at most`(seconds: Double, words: String) {
        #expect(Words.span(.seconds(seconds)) == words)
    }

    @Test func `all is only said of all`() {
        #expect(Words.percent(0.999_999) == "99.99 %")
        #expect(Words.percent(1.0) == "100.00 %")
        #expect(Words.percent(0.07) == "7.00 %")
    }

    @Test func `numbers are grouped`() {
        #expect(
            [0, 999, 1000, 1_234_567, -1000].map(Words.number) == [
                "0", "999", "1,000", "1,234,567", "-1,000",
            ])
        #expect([0, 5, 65, 3600, 3725].map(Words.clock) == ["0:00", "0:05", "1:05", "1:00:00", "1:02:05"])
    }
}
