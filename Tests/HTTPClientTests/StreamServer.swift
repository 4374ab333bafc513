import EventLoop
import HTTPCore
import HTTPServer
import Platform

/// The real server, which answers every request with a stream.
final class StreamServer: HTTPResponder, @unchecked Sendable {
    // Touched on the loop's thread only, but for what is behind a lock or never changes.
    let loop: EventLoop
    private(set) var port: UInt16 = 0
    private var server: HTTPServer?
    let streams = Lock<[ResponseStream]>([])
    /// Why streams are over.
    let reasons = Lock<[ResponseStream.Reason]>([])

    init() async throws {
        loop = try EventLoop.start(name: "stream server")
        port = try await Task(executorPreference: loop) { [self] in
            let server = HTTPServer(loop: loop, limits: HTTPLimits(), gauges: HTTPGauges(), responder: self)
            self.server = server
            return try server.listen(host: "127.0.0.1", port: 0)
        }.value
    }

    func respond(to request: Request, _ finish: @escaping @Sendable (Response) -> Void) {
        let stream = ResponseStream { [reasons] reason in reasons.withLock { $0.append(reason) } }
        streams.withLock { $0.append(stream) }
        finish(Response(status: 200, headers: ["X-Target": request.target], stream: stream))
    }

    func stop() async {
        await Task(executorPreference: loop) { [self] in
            server?.close()
            server = nil
        }.value
        loop.stop()
        loop.join()
    }
}

extension ResponseStream {
    /// Sends text on the stream's loop, from another thread.
    func send(_ text: String, on loop: EventLoop) {
        loop.execute { self.send(Array(text.utf8)) }
    }

    /// Ends the stream on its loop, from another thread.
    func end(on loop: EventLoop) {
        loop.execute { self.end() }
    }
}
