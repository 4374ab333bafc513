import HTTPCore
import Platform

/// Streams that say what the test says.
final class ScriptedStreams: StreamTransport {
    private let handlers = Lock<[@Sendable (StreamPart) -> Void]>([])
    private let opened = AsyncStream<Void>.makeStream()
    let cancelled = AsyncStream<Void>.makeStream()

    func openStream(
        _ request: Request, to base: BaseURL, _ handle: @escaping @Sendable (StreamPart) -> Void
    ) -> any OpenStream {
        handlers.withLock { $0.append(handle) }
        opened.continuation.yield()
        return Opened(cancelled: cancelled.continuation)
    }

    /// Waits for the next stream to be opened.
    func open() async { for await _ in opened.stream { return } }

    /// Says something on the last stream that was opened.
    func say(_ part: StreamPart) { handlers.withLock { $0.last }?(part) }

    func say(_ text: String) { say(.bytes(Array(text.utf8))) }

    private struct Opened: OpenStream {
        let cancelled: AsyncStream<Void>.Continuation

        func cancel() { cancelled.yield() }
    }
}
