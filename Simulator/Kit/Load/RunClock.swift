package import Platform

/// Time and pauses of a run: the event loop's for a live run, made up in tests.
package protocol RunClock: Sendable {
    /// Since some fixed point in the past; never goes back.
    func now() -> Duration
    /// The time of day, for what devices sign.
    func wall() -> Instant
    /// - Throws: when the task was cancelled.
    func sleep(for duration: Duration) async throws
}

extension Duration {
    /// Whole milliseconds, rounded down.
    package var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// Whole microseconds, rounded down.
    var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }

    /// Seconds with their fraction, for people.
    package var inSeconds: Double { Double(microseconds) / 1_000_000 }
}
