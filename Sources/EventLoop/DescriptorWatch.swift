internal import CEvent

/// What a descriptor is ready for.
package struct WatchEvents: OptionSet, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// There are bytes to read, or the peer has closed, or an error waits to be read.
    package static let read = WatchEvents(rawValue: Int16(EV_READ))
    /// There is room to write, or an error waits to be read.
    package static let write = WatchEvents(rawValue: Int16(EV_WRITE))
}

/// A descriptor that a loop watches, level-triggered, until `cancel`; kept by the loop until then.
///
/// Cancel before closing the descriptor: its number may be given out again.
package final class DescriptorWatch {
    private let loop: EventLoop
    private let descriptor: Int32
    private let action: (WatchEvents) -> Void
    private var event: OpaquePointer?
    private var interest: WatchEvents

    fileprivate init(
        loop: EventLoop, descriptor: Int32, interest: WatchEvents, action: @escaping (WatchEvents) -> Void
    ) {
        self.loop = loop
        self.descriptor = descriptor
        self.interest = interest
        self.action = action
        // libevent holds the watch from here until `cancel`.
        let context = Unmanaged.passRetained(self).toOpaque()
        guard let event = event_new(loop.base, descriptor, flags(interest), watchCallback, context) else {
            preconditionFailure("out of memory")
        }
        self.event = event
        if !interest.isEmpty { event_add(event, nil) }
    }

    /// Watches for these events from now on, on the loop's thread; for none is a pause.
    package func change(to interest: WatchEvents) {
        loop.preconditionIsCurrent()
        guard let event, interest != self.interest else { return }
        self.interest = interest
        event_del(event)
        let context = Unmanaged.passUnretained(self).toOpaque()  // still held since `init`
        event_assign(event, loop.base, descriptor, flags(interest), watchCallback, context)
        if !interest.isEmpty { event_add(event, nil) }
    }

    /// Ends the watch, on the loop's thread; its action is not called again, even if the descriptor is ready by now.
    package func cancel() {
        loop.preconditionIsCurrent()
        guard let event else { return }
        event_free(event)
        self.event = nil
        Unmanaged.passUnretained(self).release()
    }

    fileprivate func becameReady(_ events: WatchEvents) {
        let wanted = events.intersection(interest)
        if event != nil, !wanted.isEmpty { action(wanted) }
    }
}

extension EventLoop {
    /// Calls `action` whenever the descriptor is ready, until the watch is cancelled; on the loop's thread.
    package func watch(
        _ descriptor: Int32, for interest: WatchEvents, _ action: @escaping (WatchEvents) -> Void
    ) -> DescriptorWatch {
        preconditionIsCurrent()
        return DescriptorWatch(loop: self, descriptor: descriptor, interest: interest, action: action)
    }
}

private let watchCallback: event_callback_fn = { _, events, context in
    guard let context else { return }
    // Retained during the call: the action may cancel the watch.
    let watch = Unmanaged<DescriptorWatch>.fromOpaque(context).takeUnretainedValue()
    watch.becameReady(WatchEvents(rawValue: events))
}

private func flags(_ interest: WatchEvents) -> Int16 {
    interest.rawValue | Int16(EV_PERSIST)
}
