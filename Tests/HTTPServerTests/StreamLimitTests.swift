import EventLoop
import HTTPCore
import HTTPServer
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StreamLimitTests {
    private func limits(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
        var limits = HTTPLimits()
        change(&limits)
        return limits
    }

    @Test func `a stream outlives every limit of requests and answers`() async throws {
        let desk = StreamDesk()
        let limits = limits {
            ($0.headWithin, $0.bodyWithin, $0.requestWithin) = (
                .milliseconds(20), .milliseconds(20), .milliseconds(20)
            )
            $0.idle = .milliseconds(20)
            $0.answerWithin = .seconds(1)
        }
        try await withServer(limits, answer: desk.answer) { server in
            try await onItsThread { [port = server.port, gauges = server.gauges] in
                let (client, _) = try openStream(port)
                #expect(!client.hasReply(within: 1500))
                desk.send("late")
                #expect(try client.chunk() == "late")
                desk.with { $0.end() }
                #expect(try client.chunk() == "")
                wait { gauges.connections == 0 }  // now it is a connection like others
            }
            #expect(desk.reasons == [.ended])
        }
    }

    @Test func `streams beyond the limit are answered 503, across loops, until one is over`() async throws {
        let desk = StreamDesk()
        try await withServer(limits { $0.streams = 2 }, loops: 2, answer: desk.answer) { server in
            let refused = try await onItsThread { [port = server.port, gauges = server.gauges] in
                let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
                let kept = try [openStream(port), openStream(port)]
                #expect(gauges.streams == 2)
                let third = try RawClient(port: port)
                try third.send(request)
                let refused = try third.reply()
                desk.with { $0.end() }
                #expect(try kept[0].client.chunk() == "")
                try third.send(request)
                #expect(try third.head().status == 200)
                return refused
            }
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] == "5")
            #expect(refused["Content-Type"] == "application/problem+json")
            #expect(refused["Transfer-Encoding"] == nil)
            #expect(desk.reasons.prefix(2) == [.refused, .ended])
            #expect(server.gauges.refusedStreams == 1)
        }
    }

    @Test(arguments: [
        (64_535, 20_000), (21_001, 20_000), (21_000, 20_000), (20_999, 19_999), (1_000, 0), (256, 0),
    ])
    func `streams leave a thousand descriptors to the rest`(descriptors: Int, streams: Int) {
        var limits = HTTPLimits()
        limits.fit(descriptors: descriptors)
        #expect(limits.streams == streams)
    }

    @Test func `of what a client sends behind its request, a head's worth is kept, and all of it answered`()
        async throws
    {
        let desk = StreamDesk()
        let count = 2_000
        let answer: Answer = { request, loop, finish in
            if request.path == "/" { desk.answer(request, loop, finish) } else { echo(request, loop, finish) }
        }
        try await withServer(limits { $0.headBytes = 1024 }, answer: answer) { server in
            let answered = try await onItsThread { [port = server.port] in
                let (client, _) = try openStream(port)
                let requests = String(repeating: "GET /next HTTP/1.1\r\nHost: h\r\n\r\n", count: count)
                try client.send(requests)
                desk.send("still open")
                #expect(try client.chunk() == "still open")
                desk.with { $0.end() }
                #expect(try client.chunk() == "")
                return try (0..<count).filter { _ in try client.reply().status == 200 }.count
            }
            #expect(answered == count)
            #expect(server.gauges.unfinishedBodyBytes == 0)
        }
    }

    @Test
    func `a client that acknowledges nothing for an answer's time is gone, however little waits for it`()
        async throws
    {
        let desk = StreamDesk()
        let limits = limits {
            $0.answerWithin = .seconds(1)
            $0.streamWaitingBytes = 64 << 20
        }
        try await withServer(limits, answer: desk.answer) { server in
            try await onItsThread { [port = server.port] in
                let (client, _) = try openStream(port)
                desk.with { $0.send([UInt8](repeating: 65, count: 32 << 20)) }
                wait { !desk.reasons.isEmpty }
                withExtendedLifetime(client) {}
            }
            #expect(desk.reasons == [.clientLeft])
        }
    }

    @Test func `a drain lets every stream say a last word, and ends them`() async throws {
        let desk = StreamDesk(goodbye: "event: end\n\n")
        try await withServer(loops: 2, answer: desk.answer) { server in
            let open = AsyncStream<Void>.makeStream()
            let client = Task {
                try await onItsThread { [port = server.port] in
                    let clients = try (0..<6).map { _ in try openStream(port).client }
                    open.continuation.finish()
                    return try clients.map {
                        [try $0.chunk(), try $0.chunk(), $0.isClosed() ? "closed" : "open"]
                    }
                }
            }
            for await _ in open.stream {}
            await server.drain(within: .seconds(30))
            let heard = try await client.value
            #expect(heard == [[String]](repeating: ["event: end\n\n", "", "closed"], count: 6))
            #expect(desk.reasons == [ResponseStream.Reason](repeating: .draining, count: 6))
            #expect(server.gauges.streams == 0)
            #expect(server.gauges.connections == 0)
        }
    }

    @Test func `a stream that is answered with during a drain says its last word`() async throws {
        let desk = StreamDesk(goodbye: "bye")
        let late = Lock<(@Sendable () -> Void)?>(nil)
        let (asked, arrival) = AsyncStream<Void>.makeStream()
        let answer: Answer = { request, loop, finish in
            late.withLock { $0 = { loop.execute { desk.answer(request, loop, finish) } } }
            arrival.yield()
        }
        try await withServer(answer: answer) { server in
            let client = Task {
                try await onItsThread { [port = server.port] in
                    let (client, head) = try openStream(port)
                    return [head["Connection"] ?? "", try client.chunk(), try client.chunk()]
                }
            }
            for await _ in asked { break }
            async let drained: Void = server.drain(within: .seconds(30))
            while try await isListening(server) {}
            late.withLock { $0 }?()
            await drained
            let heard = try await client.value
            #expect(heard == ["close", "bye", ""])
            #expect(desk.reasons == [.draining])
        }
    }

    @Test func `closing the server closes its streams`() async throws {
        let desk = StreamDesk(goodbye: "unheard")
        try await withServer(answer: desk.answer) { server in
            let client = try await onItsThread { [port = server.port] in Held(try openStream(port).client) }
            await Task(executorPreference: server.loops[0]) { server.nodes[0].server?.close() }.value
            #expect(desk.reasons == [.draining])
            #expect(server.gauges.streams == 0)
            withExtendedLifetime(client) {}
        }
    }

    private func isListening(_ server: TestServer) async throws -> Bool {
        try await onItsThread { [port = server.port] in (try? RawClient(port: port)) != nil }
    }

    /// A client that is only kept.
    private struct Held: @unchecked Sendable {
        let client: RawClient

        init(_ client: RawClient) { self.client = client }
    }
}
