internal import CEvent

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EventLoop {
    /// Calls `action` whenever the process gets the signal, for as long as the loop lives; on the loop's thread.
    ///
    /// One loop of a process only: libevent hands all signals to the base that asked last.
    package func onSignal(_ number: Int32, _ action: @escaping () -> Void) {
        preconditionIsCurrent()
        let callback: event_callback_fn = { _, _, context in
            guard let context else { return }
            Unmanaged<SignalAction>.fromOpaque(context).takeUnretainedValue().action()
        }
        // Held for good: signals are watched until the process ends.
        let context = Unmanaged.passRetained(SignalAction(action)).toOpaque()
        guard let event = event_new(base, number, Int16(EV_SIGNAL | EV_PERSIST), callback, context) else {
            preconditionFailure("out of memory")
        }
        event_add(event, nil)
        letThrough(number)
    }

    /// Unblocks a signal on the calling thread: a program inherits what its parent's thread had blocked.
    private func letThrough(_ number: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}

private final class SignalAction {
    let action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }
}
