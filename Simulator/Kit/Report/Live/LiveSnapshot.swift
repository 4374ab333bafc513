/// What a live view shows of one moment of a run.
package struct LiveSnapshot: Sendable, Equatable {
    /// What the run is doing, in a word or two, such as `load`.
    package var phase: String
    package var elapsed: Duration
    /// How long this phase lasts; nothing if that is not known.
    package var total: Duration?
    package var differences: Int
    package var devices: Int?
    package var connected: Int?
    /// Answers a second, and their times, in the last few seconds.
    package var rate: Double
    package var latency: Histogram
    /// Errors a second in the last few seconds, and since the run began.
    package var errorRate: Double
    package var errors: Int
    package var reach: Reach
    /// Of the last minute.
    package var lag: Histogram
    /// The simulator's own, in the last few seconds.
    package var cpu: Double?
    package var loopLag: Histogram
    /// The 99th percentile of each second, the last one last.
    package var highTimes: [Duration?]

    /// Long enough to calm numbers down, short enough to see a stall.
    static let seconds = 5
}

extension RunRecorder {
    /// What a live view shows now.
    package func snapshot(
        _ phase: String, at elapsed: Duration, of total: Duration?, differences: Int
    ) -> LiveSnapshot {
        let last = recent.suffix(LiveSnapshot.seconds)
        var (now, minute) = (TimeSlice(), TimeSlice())
        for slice in last { now.join(later: slice) }
        for slice in recent { minute.join(later: slice) }
        let seconds = Double(max(1, last.count))
        return LiveSnapshot(
            phase: phase, elapsed: elapsed, total: total, differences: differences, devices: minute.devices,
            connected: minute.connected, rate: Double(now.answers) / seconds, latency: now.latency,
            errorRate: Double(now.errors.total) / seconds, errors: errorCount, reach: reach, lag: minute.lag,
            cpu: now.cpu.mean, loopLag: now.loopLag, highTimes: recent.map { $0.latency.percentile(99) })
    }
}
