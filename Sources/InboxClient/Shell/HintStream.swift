package import HTTPCore
import InboxModel
import Platform

/// One event stream: bytes come in from any thread, what they say goes out in order.
///
/// What was not taken is joined, so that a few pieces of news are all that ever wait.
package final class HintStream: Sendable {
    private let state = Lock(State())
    private let signal = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    fileprivate struct State {
        var reader = HintReader()
        var waiting: [StreamNews] = []
        var isOver = false
        var connection: (any OpenStream)?
    }

    package init() {}

    /// Opens the stream; what comes of it follows by `signals`.
    package func open(_ request: Request, at base: BaseURL, over transport: any StreamTransport) {
        let connection = transport.openStream(request, to: base) { [weak self] part in self?.take(part) }
        let isOver = state.withLock { state in
            if !state.isOver { state.connection = connection }
            return state.isOver
        }
        if isOver { connection.cancel() }
    }

    /// One for each time at which there may be news; ends with the stream.
    package var signals: AsyncStream<Void> { signal.stream }

    /// The news that wait.
    package func take() -> [StreamNews] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Closes the stream; nothing more comes of it.
    package func cancel() {
        end { $0.waiting = [] }
    }

    // MARK: What comes

    func take(_ part: StreamPart) {
        switch part {
        case .head(let response):
            if let refusal = StreamNews(refusal: response) { end { $0.add(refusal) } }
        case .bytes(let bytes): read(bytes)
        case .end: end { $0.add(.lost(retryAfter: nil)) }
        }
    }

    private func read(_ bytes: [UInt8]) {
        let hasEnded = state.withLock { state in
            guard !state.isOver else { return false }
            for news in state.reader.read(bytes) {
                state.add(news)
                if case .ended = news { return true }
            }
            return false
        }
        signal.continuation.yield()
        if hasEnded { end { _ in } }
    }

    private func end(_ last: (inout State) -> Void) {
        let connection: (any OpenStream)? = state.withLock { state in
            guard !state.isOver else { return nil }
            last(&state)
            state.isOver = true
            defer { state.connection = nil }
            return state.connection
        }
        connection?.cancel()
        signal.continuation.yield()
        signal.continuation.finish()
    }
}

extension HintStream.State {
    /// Puts news behind what waits, or joins them with it.
    fileprivate mutating func add(_ news: StreamNews) {
        switch news {
        case .heard:
            if waiting.isEmpty { waiting.append(news) }
        case .ready:
            if !waiting.contains(.ready) { waiting.append(news) }
        case .changed(let within):
            if case .changed(let earlier) = waiting.last {
                waiting.removeLast()
                let soonest = if let within, let earlier { min(within, earlier) } else { nil as Duration? }
                waiting.append(.changed(within: soonest))
            } else {
                waiting.append(news)
            }
        case .ended, .lost: waiting.append(news)
        }
    }
}
