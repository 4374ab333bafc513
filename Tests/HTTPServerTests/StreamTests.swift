import EventLoop
import HTTPCore
import HTTPServer
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StreamTests {
    @Test func `the head comes before the first piece, and pieces as they are sent, large ones too`()
        async throws
    {
        let desk = StreamDesk()
        let pieces = [
            "data: 1\n\n", ":\n", String(repeating: "x", count: 4095), String(repeating: "y", count: 70_000),
        ]
        try await withServer(answer: desk.answer) { server in
            let (head, received) = try await onItsThread { [port = server.port] in
                let (client, head) = try openStream(port)
                let received = try pieces.map { piece in
                    desk.send(piece)
                    return try client.chunk()
                }
                return (head, received)
            }
            #expect(head.status == 200)
            #expect(head["Transfer-Encoding"] == "chunked")
            #expect(head["Content-Type"] == "text/event-stream")
            #expect(head["Content-Length"] == nil)
            #expect(head["Connection"] == nil)
            #expect(received == pieces)
        }
    }

    @Test func `what was sent before the answer comes first, and nothing is sent for no bytes`() async throws
    {
        let answer: Answer = { _, _, finish in
            let stream = ResponseStream { _ in }
            stream.send(Array("first".utf8))
            stream.send([])
            stream.send(Array(" second".utf8))
            finish(Response(status: 200, stream: stream))
            stream.send([])
            stream.send(Array("third".utf8))
            stream.end()
        }
        try await withServer(answer: answer) { server in
            let chunks = try await onItsThread { [port = server.port] in
                let (client, _) = try openStream(port)
                return try (0..<3).map { _ in try client.chunk() }
            }
            #expect(chunks == ["first second", "third", ""])
        }
    }

    @Test func `an ended stream leaves the connection to the next request, which is not answered into it`()
        async throws
    {
        let desk = StreamDesk()
        try await withServer(answer: desk.answer) { server in
            try await onItsThread { [port = server.port] in
                let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
                let (client, _) = try openStream(port, request + request)
                desk.send("one")
                #expect(try client.chunk() == "one")
                try client.send(request)  // a third
                desk.send("two")
                #expect(try client.chunk() == "two")
                #expect(desk.count == 1)
                for index in 0..<3 {
                    desk.with(index) { stream in
                        stream.end()
                        stream.send([65])
                    }
                    #expect(try client.chunk() == "")
                    if index < 2 { #expect(try client.head().status == 200) }
                }
            }
            #expect(desk.reasons == [.ended, .ended, .ended])
            #expect(server.gauges.streams == 0)
        }
    }

    @Test func `a client that leaves is noticed at once, and once`() async throws {
        let desk = StreamDesk()
        try await withServer(answer: desk.answer) { server in
            for leave in [{ _ in }, { $0.finishSending() }] as [@Sendable (RawClient) -> Void] {
                try await onItsThread { [port = server.port, gauges = server.gauges] in
                    let (client, _) = try openStream(port)
                    #expect(gauges.streams == 1)
                    leave(client)
                }
                while server.gauges.connections > 0 {
                    try await server.loops[0].sleep(for: .milliseconds(1))
                }
            }
            #expect(desk.reasons == [.clientLeft, .clientLeft])
            #expect(server.gauges.streams == 0)
            let isOpen = await Task(executorPreference: server.loops[0]) { [desk] in
                await withCheckedContinuation { answered in
                    desk.with { stream in
                        stream.send([65])
                        stream.end()
                        answered.resume(returning: stream.isOpen)
                    }
                }
            }.value
            #expect(!isOpen)
            #expect(desk.reasons.count == 2)
        }
    }

    @Test func `a client that left before its answer closes the stream of the answer`() async throws {
        let desk = StreamDesk()
        let late = Lock<(@Sendable () -> Void)?>(nil)
        let answer: Answer = { request, loop, finish in
            late.withLock { $0 = { desk.answer(request, loop, finish) } }
        }
        var limits = HTTPLimits()
        limits.requestWithin = .milliseconds(20)
        try await withServer(limits, answer: answer) { server in
            let status = try await talk(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") { try $0.reply().status }
            let finish = try #require(late.withLock { $0 })
            await Task(executorPreference: server.loops[0]) { finish() }.value
            #expect(status == 503)
            #expect(desk.reasons == [.clientLeft])
        }
    }

    @Test func `a client that does not read is dropped, and others are not`() async throws {
        let desk = StreamDesk()
        let piece = String(repeating: "x", count: 60_000)
        try await withServer(answer: desk.answer) { server in
            try await onItsThread { [port = server.port] in
                let (slow, _) = try openStream(port)
                let (quick, _) = try openStream(port)
                var sent = 0
                while desk.reasons.isEmpty {
                    desk.send(piece, on: 0)
                    desk.send(piece, on: 1)
                    #expect(try quick.chunk() == piece)
                    sent += 1
                }
                #expect(desk.reasons == [.slow])
                #expect(sent > 1)  // one piece is less than the limit
                withExtendedLifetime(slow) {}
            }
            while server.gauges.streams > 1 { try await server.loops[0].sleep(for: .milliseconds(1)) }
        }
    }

    @Test func `as much as the kernel takes may be sent at once`() async throws {
        let desk = StreamDesk()
        try await withServer(answer: desk.answer) { server in
            let (text, waiting) = try await onItsThread { [port = server.port] in
                let (client, _) = try openStream(port)
                let waiting = Lock(0)
                desk.with { stream in
                    for _ in 0..<1000 { stream.send([UInt8](repeating: 65, count: 200)) }
                    waiting.withLock { $0 = stream.waitingBytes }
                }
                let text = try (0..<1000).map { _ in try client.chunk() }
                return (text, waiting.withLock { $0 })
            }
            #expect(text == [String](repeating: String(repeating: "A", count: 200), count: 1000))
            #expect(waiting > 200_000)  // queued until the end of the pass
        }
    }

    @Test func `HEAD gets the head alone, and the connection goes on`() async throws {
        let desk = StreamDesk()
        try await withServer(answer: desk.answer) { server in
            let statuses = try await talk(
                server, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\nHEAD / HTTP/1.1\r\nHost: h\r\n\r\n"
            ) { client in
                [try client.reply(toHead: true).status, try client.reply(toHead: true).status]
            }
            #expect(statuses == [200, 200])
            #expect(desk.reasons == [.ended, .ended])
            #expect(server.gauges.streams == 0)
        }
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n", "Connection: close\r\n"])
    func `HTTP 1.0 gets the bytes as they are, and the end of the connection`(field: String) async throws {
        let desk = StreamDesk()
        try await withServer(answer: desk.answer) { server in
            let (head, rest) = try await onItsThread { [port = server.port] in
                let (client, head) = try openStream(port, "GET / HTTP/1.0\r\n\(field)\r\n")
                desk.send("one")
                desk.with { stream in
                    stream.send(Array(" two".utf8))
                    stream.end()
                }
                return (head, client.rest())
            }
            #expect(head["Transfer-Encoding"] == nil)
            #expect(head["Content-Length"] == nil)
            #expect(head["Connection"] == "close")
            #expect(rest == "one two")
            #expect(desk.reasons == [.ended])
        }
    }

    @Test func `a client that asks for it has its connection closed after the stream`() async throws {
        let desk = StreamDesk()
        try await withServer(answer: desk.answer) { server in
            for field in ["Connection: close", "Connection: TE, close"] {
                let (head, closed) = try await onItsThread { [port = server.port] in
                    let (client, head) = try openStream(port, "GET / HTTP/1.1\r\nHost: h\r\n\(field)\r\n\r\n")
                    desk.with(desk.count - 1) { $0.end() }
                    #expect(try client.chunk() == "")
                    return (head, client.isClosed())
                }
                #expect(head["Connection"] == "close")
                #expect(closed)
            }
        }
    }
}
