import Testing

@testable import SimulatorKit

struct RunRecorderTests {
    @Test func `each answer is counted by kind, status and second`() {
        var recorder = RunRecorder()
        recorder.request(.list, .status(200), after: .milliseconds(3), at: .milliseconds(900))
        recorder.request(.list, .status(304), after: .milliseconds(1), at: .milliseconds(1100))
        recorder.request(.send, .status(503), after: .milliseconds(9), at: .milliseconds(3100))
        recorder.request(.send, .failure("connection lost"), after: .seconds(2), at: .milliseconds(3200))
        let totals = recorder.totals
        #expect(totals.statuses == [200: 1, 304: 1, 503: 1])
        #expect(totals.callNames == ["list", "send"])
        #expect(totals.notModified.count == 1)
        #expect(totals.failed.longest == .seconds(2))
        #expect(totals.errors.byReason == ["status 503": 1, "connection lost": 1])
        #expect(totals.timeline.slices.map(\.answers) == [1, 1, 0, 1])
        #expect(totals.timeline.slices.map(\.notModified) == [0, 1, 0, 0])
        #expect(totals.timeline.slices.map(\.errors.total) == [0, 0, 0, 2])
    }

    @Test func `what comes late by a little counts for the second under way`() {
        var recorder = RunRecorder()
        recorder.request(.list, .status(200), after: .zero, at: .milliseconds(2001))
        recorder.request(.list, .status(200), after: .zero, at: .milliseconds(1999))
        #expect(recorder.totals.timeline.slices.map(\.answers) == [0, 0, 2])
    }

    @Test func `a status that is none is counted all the same`() {
        var recorder = RunRecorder()
        recorder.request(.list, .status(-1), after: .zero, at: .zero)
        recorder.request(.list, .status(9999), after: .zero, at: .zero)
        #expect(recorder.totals.statuses == [600: 2])
    }

    @Test func `reach is what was received of what was expected, lag only where it is known`() {
        var recorder = RunRecorder()
        recorder.expected(4, at: .seconds(1))
        recorder.received(after: .milliseconds(20), at: .seconds(2))
        recorder.received(after: nil, at: .seconds(2))
        let totals = recorder.totals
        #expect(totals.reach == Reach(expected: 4, received: 2))
        #expect(totals.reach.share == 0.5)
        #expect(totals.lag.count == 1)
    }

    @Test func `a snapshot looks back a few seconds, at whole ones`() {
        var recorder = RunRecorder()
        for second in 0..<10 {
            for _ in 0..<(second < 5 ? 100 : 10) {
                recorder.request(.list, .status(200), after: .milliseconds(second + 1), at: .seconds(second))
            }
        }
        recorder.sample(
            OwnSample(devices: 7, connected: 2, cpuShare: 0.5, loopLag: .zero), at: .seconds(10))
        let snapshot = recorder.snapshot("load", at: .seconds(10), of: nil, differences: 0)
        #expect(snapshot.rate == 10)
        #expect(snapshot.highTimes.count == 10)
        #expect(snapshot.devices == nil)  // told in the second that is not over
        #expect(snapshot.latency.longest == .milliseconds(10))
    }

    @Test func `a long silence is silence in the view as well`() {
        var recorder = RunRecorder()
        recorder.request(.list, .status(200), after: .milliseconds(1), at: .zero)
        recorder.request(.list, .status(200), after: .milliseconds(1), at: .seconds(100_000))
        let snapshot = recorder.snapshot("load", at: .seconds(100_000), of: nil, differences: 0)
        #expect(snapshot.rate == 0)
        #expect(snapshot.highTimes == [Duration?](repeating: nil, count: RunRecorder.recentSeconds))
    }
}
