internal import CEvent

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An action that a loop runs once, some time from now; kept by the loop until then.
package final class LoopTimer {
    private let loop: EventLoop
    private let action: () -> Void
    private var event: OpaquePointer?

    fileprivate init(loop: EventLoop, after delay: Duration, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        // libevent holds the timer from here until it fires or is cancelled.
        let context = Unmanaged.passRetained(self).toOpaque()
        let callback: event_callback_fn = { _, _, context in
            guard let context else { return }
            let timer = Unmanaged<LoopTimer>.fromOpaque(context).takeRetainedValue()
            timer.free()
            timer.action()
        }
        guard let event = event_new(loop.base, -1, 0, callback, context) else {
            preconditionFailure("out of memory")
        }
        self.event = event
        var wait = timeval(roundingUp: delay)
        event_add(event, &wait)
    }

    /// Takes the timer back, on the loop's thread; after it has fired, nothing happens.
    package func cancel() {
        loop.preconditionIsCurrent()
        guard event != nil else { return }
        free()
        Unmanaged.passUnretained(self).release()
    }

    private func free() {
        guard let event else { return }
        event_free(event)
        self.event = nil
    }
}

extension EventLoop {
    /// Runs `action` once, after at least `delay`, which is rounded up to milliseconds; on the loop's thread.
    @discardableResult
    package func timer(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        preconditionIsCurrent()
        return LoopTimer(loop: self, after: delay, action: action)
    }

    /// Time since some fixed moment, by a clock that never goes back.
    package var uptime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Duration(
            secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
    }
}

extension timeval {
    /// The wait in whole milliseconds, rounded up: epoll counts in these, and waking early would mean to spin for
    /// the rest.
    init(roundingUp duration: Duration) {
        let (seconds, attoseconds) = max(duration, .zero).components
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        // A year is beyond every wait, and far from where `time_t` and libevent overflow.
        let bounded = min(seconds, 31_536_000)
        self.init(
            tv_sec: Int(bounded + milliseconds / 1000),
            tv_usec: numericCast(milliseconds % 1000 * 1000))
    }
}
