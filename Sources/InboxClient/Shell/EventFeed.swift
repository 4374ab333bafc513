import Platform

/// What has happened, told to all who listen.
final class EventFeed: Sendable {
    private let listeners = Lock(Listeners<InboxEvent>())

    /// Of one who does not take them, the newest so many are kept: they are for people, who read no more.
    static let mostWaiting = 64

    func tell(_ event: InboxEvent) {
        for listener in listeners.withLock({ $0.all }) { listener.yield(event) }
    }

    func end() {
        for listener in listeners.withLock({ $0.end() }) { listener.finish() }
    }

    /// How many listen.
    var listenerCount: Int { listeners.withLock { $0.count } }

    /// All that happens from now on.
    func listen() -> AsyncStream<InboxEvent> {
        let (stream, listener) = AsyncStream<InboxEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(EventFeed.mostWaiting))
        guard let number = listeners.withLock({ $0.add(listener) }) else {
            listener.finish()
            return stream
        }
        listener.onTermination = { [weak self] _ in _ = self?.listeners.withLock { $0.remove(number) } }
        return stream
    }
}
