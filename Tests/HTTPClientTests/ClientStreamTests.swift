import EventLoop
import HTTPClient
import HTTPCore
import HTTPServer
import Platform
import Testing

/// Collects what comes of a stream, and lets a test wait for it.
final class Listener: Sendable {
    private let events: AsyncStream<StreamEvent>
    let handle: @Sendable (StreamEvent) -> Void

    init() {
        let (events, sender) = AsyncStream<StreamEvent>.makeStream()
        self.events = events
        handle = { event in
            sender.yield(event)
            switch event {
            case .head, .piece: break
            case .ended, .failed: sender.finish()
            }
        }
    }

    /// The next events, up to this many.
    func next(_ count: Int) async -> [StreamEvent] {
        var found: [StreamEvent] = []
        for await event in events {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ClientStreamTests {
    private func base(_ server: ScriptedServer) -> BaseURL {
        BaseURL(host: "127.0.0.1", port: server.port)
    }

    private func piece(_ text: String) -> StreamEvent { .piece(Array(text.utf8)) }

    @Test func `head and pieces come as the server sends them, then the end`() async throws {
        let server = try await StreamServer()
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        let events = try await withClient { client in
            let listener = Listener()
            _ = client.open(Request(.get, "/events?x=1"), to: base, listener.handle)
            var events = await listener.next(1)
            for text in ["one", "two"] {
                server.streams.withLock { $0[0] }.send(text, on: server.loop)
                events += await listener.next(1)
            }
            #expect(client.openStreams == 1)
            server.streams.withLock { $0[0] }.end(on: server.loop)
            events += await listener.next(9)
            while client.openStreams > 0 { try await client.loop.sleep(for: .milliseconds(1)) }
            return events
        }
        guard case .head(let head) = events.first else { return #expect(Bool(false)) }
        #expect(head.status == 200)
        #expect(head.headers["x-target"] == "/events?x=1")
        #expect(head.body.isEmpty)
        #expect(Array(events.dropFirst()) == [piece("one"), piece("two"), .ended])
        await server.stop()
    }

    @Test func `a cancelled stream leaves at once, from within its own event too`() async throws {
        let server = try await StreamServer()
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        let seen = try await withClient { client in
            let seen = Lock(0)
            let stream = Lock<ClientStream?>(nil)
            let opened = client.open(Request(.get, "/"), to: base) { _ in
                seen.withLock { $0 += 1 }
                stream.withLock { $0 }?.cancel()
            }
            stream.withLock { $0 = opened }
            #expect(opened.isOpen)
            while server.reasons.withLock({ $0.isEmpty }) {
                try await client.loop.sleep(for: .milliseconds(1))
            }
            #expect(!opened.isOpen)
            #expect(client.openStreams == 0)
            opened.cancel()
            return seen.withLock { $0 }
        }
        #expect(seen == 1)  // the head
        #expect(server.reasons.withLock { $0 } == [.clientLeft])
        await server.stop()
    }

    @Test func `many streams are open at once, beyond the connections of requests`() async throws {
        let server = try await StreamServer()
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        let heard = try await withClient {
            $0.connections = 1
        } _: { client in
            let listeners = (0..<100).map { _ in Listener() }
            for listener in listeners { _ = client.open(Request(.get, "/"), to: base, listener.handle) }
            for listener in listeners { _ = await listener.next(1) }
            for index in 0..<100 { server.streams.withLock { $0[index] }.send("x", on: server.loop) }
            var heard = 0
            for listener in listeners {
                let events = await listener.next(1)
                heard += events == [piece("x")] ? 1 : 0
            }
            return heard
        }
        #expect(heard == 100)
        await server.stop()
    }

    @Test(arguments: [
        (
            "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", ["ab"],
            StreamEvent.failed(.disconnected)
        ),
        (
            "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n", ["ab"],
            .failed(.badAnswer)
        ),
        ("HTTP/1.1 503 X\r\nContent-Length: 3\r\n\r\nabc", ["abc"], .ended),
        ("HTTP/1.0 200 X\r\n\r\nuntil the end", ["until the end"], .ended),
        ("HTTP/1.1 204 X\r\n\r\n", [], .ended),
    ])
    func `every kind of answer comes to its end`(text: String, pieces: [String], last: StreamEvent)
        async throws
    {
        let server = try ScriptedServer([[.sendAndClose(text)]])
        let base = base(server)
        let events = try await withClient { client in
            let listener = Listener()
            _ = client.open(Request(.get, "/"), to: base, listener.handle)
            return await listener.next(100)
        }
        guard case .head = events.first else { return #expect(Bool(false)) }
        #expect(Array(events.dropFirst()) == pieces.map(piece) + [last])
    }

    @Test func `what comes before the answer is no head`() async throws {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer([[.send(text), .hang]])
        let base = base(server)
        let events = try await withClient { client in
            let listener = Listener()
            _ = client.open(Request(.get, "/"), to: base, listener.handle)
            return await listener.next(9)
        }
        #expect(events == [.head(Response(status: 202, headers: ["Content-Length": "0"])), .ended])
    }

    @Test func `a stream without an answer fails in time, one with an answer may be silent`() async throws {
        let head = "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try ScriptedServer([[.hang], [.send(head), .hang]])
        let base = base(server)
        let (first, second, isOpen) = try await withClient {
            $0.answerWithin = .milliseconds(50)
        } _: { client in
            let (late, silent) = (Listener(), Listener())
            _ = client.open(Request(.get, "/"), to: base, late.handle)
            let first = await late.next(9)
            let stream = client.open(Request(.get, "/"), to: base, silent.handle)
            let second = await silent.next(1).count
            try await client.loop.sleep(for: .milliseconds(120))
            defer { stream.cancel() }
            return (first, second, stream.isOpen)
        }
        #expect(first == [.failed(.timedOut)])
        #expect(second == 1)
        #expect(isOpen)
    }

    @Test func `what cannot be sent fails, and nothing is called within the call`() async throws {
        let server = try ScriptedServer([])
        let base = base(server)
        let events = try await withClient {
            $0.streams = 1
        } _: { client in
            let listeners = (0..<4).map { _ in Listener() }
            let called = Lock(0)
            func open(_ request: Request, _ base: BaseURL, _ listener: Listener) {
                let before = called.withLock { $0 }
                _ = client.open(request, to: base) { event in
                    called.withLock { $0 += 1 }
                    listener.handle(event)
                }
                #expect(called.withLock { $0 } == before)
            }
            open(Request(.get, "/"), BaseURL(isSecure: true, host: "127.0.0.1", port: 1), listeners[0])
            open(Request(.get, "/"), base, listeners[1])  // the first has its place still
            var events = await listeners[0].next(9) + listeners[1].next(9)
            open(Request(.get, "/a b"), base, listeners[2])
            events += await listeners[2].next(9)
            open(Request(.get, "/"), BaseURL(host: "127.0.0.1", port: 1), listeners[3])
            return await events + listeners[3].next(9)
        }
        #expect(
            events == [.failed(.unusable), .failed(.overloaded), .failed(.unusable), .failed(.unreachable)])
    }

    @Test func `closing the client ends its streams`() async throws {
        let server = try await StreamServer()
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        let listener = Listener()
        try await withClient { client in
            _ = client.open(Request(.get, "/"), to: base, listener.handle)
            _ = await listener.next(1)
        }
        let events = await listener.next(9)
        #expect(events == [.failed(.closed)])
        await server.stop()
    }
}
