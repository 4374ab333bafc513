import EventLoop
import HTTPCore
import HTTPServer
import Platform

/// Answers every request with a stream, and remembers them and why they are over.
final class StreamDesk: Sendable {
    private let opened = Lock<[(stream: ResponseStream, loop: EventLoop)]>([])
    private let closed = Lock<[ResponseStream.Reason]>([])
    /// What a stream says when the server stops.
    private let goodbye: String

    init(goodbye: String = "") {
        self.goodbye = goodbye
    }

    /// Why streams are over, in order.
    var reasons: [ResponseStream.Reason] { closed.withLock { $0 } }
    /// Streams that have been answered with.
    var count: Int { opened.withLock { $0.count } }

    var answer: Answer {
        { [self] request, loop, finish in
            let stream = makeStream()
            opened.withLock { $0.append((stream, loop)) }
            finish(Response(status: 200, headers: ["Content-Type": "text/event-stream"], stream: stream))
        }
    }

    /// Runs `body` with a stream, on its loop.
    func with(_ index: Int = 0, _ body: @escaping @Sendable (ResponseStream) -> Void) {
        let (stream, loop) = opened.withLock { $0[index] }
        loop.execute { body(stream) }
    }

    /// Sends a piece on a stream.
    func send(_ text: String, on index: Int = 0) {
        with(index) { $0.send(Array(text.utf8)) }
    }

    private func makeStream() -> ResponseStream {
        let box = Lock<ResponseStream?>(nil)
        let stream = ResponseStream { [self] reason in
            if reason == .draining { box.withLock { $0 }?.send(Array(goodbye.utf8)) }
            box.withLock { $0 = nil }
            closed.withLock { $0.append(reason) }
        }
        box.withLock { $0 = stream }
        return stream
    }
}

/// Opens a stream over a connection, and returns it with its head.
func openStream(
    _ port: UInt16, _ request: String = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
) throws -> (client: RawClient, head: Reply) {
    let client = try RawClient(port: port)
    try client.send(request)
    return (client, try client.head())
}
