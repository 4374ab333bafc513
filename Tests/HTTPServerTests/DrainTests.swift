import EventLoop
import HTTPCore
import HTTPServer
import Platform
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DrainTests {
    @Test func `what is in flight is answered, idle connections close, new ones are refused, and it ends`()
        async throws
    {
        let waiting = Lock<[@Sendable (Response) -> Void]>([])
        let (asked, arrival) = AsyncStream<EventLoop>.makeStream()
        let answer: Answer = { request, loop, finish in
            guard request.path == "/wait" else { return echo(request, loop, finish) }
            waiting.withLock { $0.append(finish) }
            arrival.yield(loop)
        }
        try await withServer(loops: 2, answer: answer) { server in
            let idle = Task { try await idleClosed(server, connections: 8) }
            let busy = (0..<8).map { _ in Task { try await inFlight(server) } }
            let half = Task { try await slowHead(server) }
            var loops: [EventLoop] = []
            for await loop in asked {
                loops.append(loop)
                if loops.count == 8 { break }
            }
            while await server.openConnections() < 17 {
                try await server.loops[0].sleep(for: .milliseconds(2))
            }
            async let drained: Void = server.drain(within: .seconds(30))
            let areClosed = try await idle.value
            #expect(areClosed)
            await #expect(throws: RawClient.Failure.self) {
                try await talk(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") { _ in }
            }
            for (loop, finish) in zip(loops, waiting.withLock { $0 }) {
                loop.execute { finish(Response(status: 200, body: [65])) }
            }
            for client in busy {
                let (reply, closed) = try await client.value
                #expect(reply.body == "A")
                #expect(reply["Connection"] == "close")
                #expect(closed)
            }
            let late = try await half.value
            #expect(late.status == 200)
            #expect(late["Connection"] == "close")
            await drained
            #expect(server.gauges.connections == 0)
        }
    }

    @Test func `what is not answered in time is closed`() async throws {
        let (asked, arrival) = AsyncStream<Void>.makeStream()
        try await withServer(answer: { _, _, _ in arrival.yield() }) { server in
            let client = Task {
                try await talk(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") { $0.isClosed() }
            }
            for await _ in asked { break }
            await server.drain(within: .milliseconds(20))
            let closed = try await client.value
            #expect(closed)
        }
    }

    @Test func `a server without connections has drained at once`() async throws {
        try await withServer(loops: 2) { server in
            await server.drain(within: .seconds(600))
            #expect(server.gauges.connections == 0)
        }
    }

    private func idleClosed(_ server: TestServer, connections: Int) async throws -> Bool {
        try await onThread { [port = server.port] in
            let clients = try (0..<connections).map { _ in try RawClient(port: port) }
            for client in clients {
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try client.reply()
            }
            return clients.allSatisfy { $0.isClosed() }
        }
    }

    private func inFlight(_ server: TestServer) async throws -> (Reply, closed: Bool) {
        try await talk(server, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n") { (try $0.reply(), $0.isClosed()) }
    }

    /// A client whose head is complete only some time after the drain has begun.
    private func slowHead(_ server: TestServer) async throws -> Reply {
        try await talk(server, "GET / HTTP/1.1\r\nHost: h\r\n") { [port = server.port] client in
            wait { (try? RawClient(port: port)) == nil }  // nobody listens any more
            try client.send("\r\n")
            return try client.reply()
        }
    }
}
