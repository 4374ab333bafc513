/// What the simulator took itself, so that its own limit is never taken for the server's.
package struct OwnLoad: Sendable, Equatable, Codable {
    /// Processor time of all processes.
    @Microseconds package var cpu = Duration.zero
    /// Largest resident memory of all processes together.
    package var peakBytes = 0
    /// Of the busiest process, while the load ran.
    package var cpuShare = CPUShare()
    /// By how much its own timers were late.
    package var loopLag = Histogram()

    /// Beyond this part of a core, requests wait for the simulator's own thread.
    package static let mostCPUShare = 0.9
    /// Beyond this at the 99th percentile, times of requests hold much of the simulator's own waiting.
    package static let mostLoopLag = Duration.milliseconds(50)

    private enum CodingKeys: String, CodingKey {
        case cpu = "cpu_us"
        case peakBytes = "peak_bytes"
        case cpuShare = "cpu_share"
        case loopLag = "loop_lag"
    }

    package init() {}

    /// Why times may be the simulator's own and not the server's; empty if they are the server's.
    package var limits: [String] {
        var limits: [String] = []
        if let share = cpuShare.mean, share > OwnLoad.mostCPUShare {
            limits.append("it took \(Words.wholePercent(share)) of a core")
        }
        if let lag = loopLag.percentile(99), lag > OwnLoad.mostLoopLag {
            limits.append("its own timers were up to \(Words.duration(lag)) late (p99)")
        }
        return limits
    }

    /// The warning about those limits, as a sentence; nothing if there is none.
    package var warning: String? {
        limits.isEmpty
            ? nil
            : "The simulator was at its own limit: \(limits.joined(separator: ", and ")). "
                + "Times are not the server's alone; share the run among more processes."
    }

    /// Takes in another process.
    package mutating func merge(_ other: OwnLoad) {
        cpu += other.cpu
        peakBytes += other.peakBytes
        cpuShare = max(cpuShare, other.cpuShare)
        loopLag.merge(other.loopLag)
    }
}
