/// The time since it was made, by a clock that never goes back.
package struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    package init() {}

    /// Since the stopwatch was made.
    package var elapsed: Duration { ContinuousClock.now - start }
}
