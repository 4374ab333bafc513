/// The bounds of a pipeline.
package struct PipelineLimits: Sendable {
    /// Requests that may be unanswered at once; one more is refused as `.overloaded`.
    ///
    /// 4,096 look-ups are about a tenth of a second of PostgreSQL's work.
    package var waiting = 4_096
    /// How long a request waits to be sent, before it is refused.
    package var waitWithin = Duration.seconds(5)
    /// How long PostgreSQL may be silent while it owes an answer, before the connection is given up.
    ///
    /// Longer than any statement may take.
    package var silentWithin = Duration.seconds(30)
    /// Requests in one batch, 1 or more: enough to share a commit, few enough that an error does not undo
    /// much.
    package var batch: Int
    /// Batches sent before the first is answered, 1 or more: one runs while the next is on its way.
    package var inFlight: Int
    /// Statements that a connection keeps prepared.
    package var preparedStatements = 500

    /// Limits for look-ups and lists.
    package static let reads = PipelineLimits(batch: 64, inFlight: 4)
    /// Limits for writes.
    package static let writes = PipelineLimits(batch: 24, inFlight: 2)
}

/// The pauses between attempts: doubling from 50 ms to 2 s, each shortened at random by up to half.
struct Backoff {
    private var attempts = 0

    /// The next pause.
    mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        let milliseconds = min(2_000, 50 << min(attempts, 6))
        attempts += 1
        return .milliseconds(Int.random(in: milliseconds / 2...milliseconds, using: &random))
    }

    /// It worked: the next pause is short again.
    mutating func reset() {
        attempts = 0
    }
}
