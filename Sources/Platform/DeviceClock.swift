import Foundation

/// The clocks of a device, for what waits and for what expires; passed in, so that a test can set them.
package protocol DeviceClock: Sendable {
    /// The time of day; it may be wrong, and may be set.
    var wall: Instant { get }
    /// The time since some moment; it never goes back.
    var uptime: Duration { get }
    /// Waits until `uptime` has come; returns at once when the task is cancelled.
    func wait(until uptime: Duration) async
}

/// The clocks of the system.
package struct SystemClock: DeviceClock {
    private let start = ContinuousClock.now

    package init() {}

    package var wall: Instant {
        Instant(rawValue: Int64(Foundation.Date.now.timeIntervalSince1970 * 1_000_000))
    }

    package var uptime: Duration { ContinuousClock.now - start }

    package func wait(until uptime: Duration) async {
        // Fails when the task is cancelled, which is no failure of this.
        try? await ContinuousClock().sleep(until: start + uptime)
    }
}
