/// Counts what a run does while it does it; a few additions a request.
///
/// All times are since the load began, and never go far back.
package struct RunRecorder: Sendable {
    /// Times of answers other than 304, at the kind's `position`.
    private var answered = [Histogram](repeating: Histogram(), count: Call.all.count)
    private var notModified = Histogram()
    private var failed = Histogram()
    /// Answers by status; whatever is none is counted last.
    private var statuses = [Int](repeating: 0, count: RunRecorder.highestStatus + 1)
    private var errors = ReasonCounts()
    private(set) var reach = Reach()
    private(set) var lag = Histogram()
    private var cpuShare = CPUShare()
    private var loopLag = Histogram()
    private var timeline = Timeline()
    /// The second under way, and the last ones that are over.
    private var current = TimeSlice()
    private var currentSecond = 0
    private var currentEnd = Duration.seconds(1)
    private(set) var recent: [TimeSlice] = []

    private static let highestStatus = 600
    /// Seconds that a live view looks back.
    static let recentSeconds = 60

    package init() {}

    // MARK: Telling it

    /// A request was answered, or nobody can answer it any more.
    package mutating func request(
        _ call: Call, _ outcome: RequestOutcome, after duration: Duration, at time: Duration
    ) {
        if time >= currentEnd { advance(to: time) }
        switch outcome {
        case .status(let status):
            // Converted once for all that count it: that is the dearest part.
            let (position, microseconds) = (call.position, duration.microseconds)
            statuses[status >= 0 ? min(status, RunRecorder.highestStatus) : RunRecorder.highestStatus] += 1
            if status == 304 {
                notModified.add(microseconds: microseconds)
            } else {
                answered[position].add(microseconds: microseconds)
            }
            current.answered(position, isNotModified: status == 304, microseconds: microseconds)
            if status >= 500 || status == 429 { countError("status \(status)") }
        case .failure(let reason):
            failed.add(duration)
            countError(reason)
        }
    }

    /// Something else went wrong.
    package mutating func error(_ reason: String, at time: Duration) {
        if time >= currentEnd { advance(to: time) }
        countError(reason)
    }

    /// So many devices must get what was just sent.
    package mutating func expected(_ devices: Int, at time: Duration) {
        if time >= currentEnd { advance(to: time) }
        reach.expected += devices
        current.expected(devices)
    }

    /// A device got a message, so long after it was accepted, if that is known.
    package mutating func received(after lag: Duration?, at time: Duration) {
        if time >= currentEnd { advance(to: time) }
        reach.received += 1
        let microseconds = lag?.microseconds
        if let microseconds { self.lag.add(microseconds: microseconds) }
        current.received(microseconds: microseconds)
    }

    /// A device knew what another had done to a message, so long after that was accepted.
    package mutating func learned(after lag: Duration, at time: Duration) {
        if time >= currentEnd { advance(to: time) }
        self.lag.add(lag)
        current.learned(after: lag)
    }

    /// The simulator looked at itself: once a second, or more often.
    package mutating func sample(_ sample: OwnSample, at time: Duration) {
        if time >= currentEnd { advance(to: time) }
        cpuShare.add(sample.cpuShare)
        loopLag.add(sample.loopLag)
        current.sampled(sample)
    }

    private mutating func countError(_ reason: String) {
        errors.add(reason)
        current.failed(reason)
    }

    /// Puts the second that is over away, and begins the one that `time` is in.
    private mutating func advance(to time: Duration) {
        let second = Int(time.components.seconds)
        timeline.add(current, atSecond: currentSecond)
        recent.append(current)
        let skipped = min(second - currentSecond - 1, RunRecorder.recentSeconds)
        recent += repeatElement(TimeSlice(), count: skipped)
        if recent.count > RunRecorder.recentSeconds {
            recent.removeFirst(recent.count - RunRecorder.recentSeconds)
        }
        current = TimeSlice()
        currentSecond = second
        currentEnd = .seconds(second + 1)
    }

    // MARK: Reading

    /// All that was counted so far.
    package var totals: RunTotals {
        var totals = RunTotals()
        for call in Call.all where answered[call.position].count > 0 {
            totals.calls[call.rawValue] = answered[call.position]
        }
        (totals.notModified, totals.failed, totals.errors) = (notModified, failed, errors)
        for (status, count) in statuses.enumerated() where count > 0 { totals.statuses[status] = count }
        (totals.reach, totals.lag, totals.timeline) = (reach, lag, timeline)
        totals.timeline.add(current, atSecond: currentSecond)
        return totals
    }

    /// What the simulator took, with what only its process knows.
    package func own(_ usage: Usage) -> OwnLoad {
        var own = OwnLoad()
        (own.cpu, own.peakBytes, own.cpuShare, own.loopLag) = (
            usage.cpu, usage.peakBytes, cpuShare, loopLag
        )
        return own
    }

    /// Errors for all reasons so far.
    package var errorCount: Int { errors.total }
}
