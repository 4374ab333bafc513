import Platform

/// What has happened, told to all who listen.
final class EventFeed: Sendable {
    private let state = Lock(State())

    private struct State {
        var isOver = false
        var last = 0
        var listeners: [Int: AsyncStream<InboxEvent>.Continuation] = [:]
    }

    /// Of one who does not take them, the newest so many are kept: they are for people, who read no more.
    static let mostWaiting = 64

    func tell(_ event: InboxEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }

    func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// How many listen.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// All that happens from now on.
    func listen() -> AsyncStream<InboxEvent> {
        let (stream, listener) = AsyncStream<InboxEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(EventFeed.mostWaiting))
        let number: Int? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.last += 1
            state.listeners[state.last] = listener
            return state.last
        }
        guard let number else {
            listener.finish()
            return stream
        }
        listener.onTermination = { [weak self] _ in
            // Let go of outside the lock: the last reference may end the stream.
            let listener = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
            _ = listener
        }
        return stream
    }
}
