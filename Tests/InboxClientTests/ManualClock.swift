import Platform

/// Clocks that the test moves.
final class ManualClock: DeviceClock {
    private let state = Lock(State())

    private struct State {
        var uptime = Duration.zero
        var last = 0
        var waiting: [Int: (until: Duration, CheckedContinuation<Void, Never>)] = [:]
    }

    static let start = Instant(seconds: 1_800_000_000)

    var uptime: Duration { state.withLock { $0.uptime } }
    var wall: Instant { ManualClock.start.adding(seconds: uptime.components.seconds) }

    func wait(until uptime: Duration) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if uptime <= state.uptime || Task.isCancelled { return true }
                    state.waiting[number] = (uptime, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.1.resume()
        }
    }

    /// Whether somebody waits.
    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Lets time pass, and wakes whoever waited for it.
    func pass(_ duration: Duration) {
        let due = state.withLock { state in
            state.uptime += duration
            let due = state.waiting.filter { $0.value.until <= state.uptime }
            for number in due.keys { state.waiting[number] = nil }
            return due.values.map(\.1)
        }
        for continuation in due { continuation.resume() }
    }
}
