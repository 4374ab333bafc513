import Platform

/// What has happened, told to all who listen.
final class EventFeed: Sendable {
    private let state = Lock(State())

    private struct State {
        var listeners = Listeners<InboxEvent>()
        /// What nobody has heard and somebody must.
        var unheard: [InboxEvent] = []
    }

    /// Of one who does not take them, the newest so many are kept: they are for people, who read no more.
    static let mostWaiting = 64

    func tell(_ event: InboxEvent) {
        for listener in state.withLock({ $0.listeners.all }) { listener.yield(event) }
    }

    /// Tells what must not be missed: if nobody listens, to the first who will.
    func tellSomebody(_ event: InboxEvent) {
        let listeners = state.withLock { state in
            if state.listeners.count == 0 {
                state.unheard = state.unheard.suffix(EventFeed.mostWaiting - 1) + [event]
            }
            return state.listeners.all
        }
        for listener in listeners { listener.yield(event) }
    }

    func end() {
        for listener in state.withLock({ $0.listeners.end() }) { listener.finish() }
    }

    /// How many listen.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// All that happens from now on, behind what nobody has heard.
    func listen() -> AsyncStream<InboxEvent> {
        let (stream, listener) = AsyncStream<InboxEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(EventFeed.mostWaiting))
        let number: Int? = state.withLock { state in
            for event in state.unheard { listener.yield(event) }
            state.unheard = []
            return state.listeners.add(listener)
        }
        guard let number else {
            listener.finish()
            return stream
        }
        listener.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.remove(number) }
        }
        return stream
    }
}
