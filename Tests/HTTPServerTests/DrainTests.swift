import EventLoop
import HTTPCore
import HTTPServer
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DrainTests {
    @Test func `what is in flight is answered, idle connections close, new ones are refused, and it ends`()
        async throws
    {
        let waiting = Lock<[(EventLoop, @Sendable (Response) -> Void)]>([])
        let (asked, arrival) = AsyncStream<Void>.makeStream()
        let answer: Answer = { request, loop, finish in
            if request.path == "/wait" {
                waiting.withLock { $0.append((loop, finish)) }
            } else {
                echo(request, loop, finish)
            }
            arrival.yield()
        }
        try await withServer(loops: 2, answer: answer) { server in
            let idle = Task { try await idleClosed(server, connections: 8) }
            let busy = (0..<8).map { _ in Task { try await inFlight(server) } }
            let slow = Task { try await slowBody(server) }
            var requests = 0
            for await _ in asked {
                requests += 1
                if requests == 16 { break }
            }
            while server.gauges.unfinishedBodyBytes == 0 {
                try await server.loops[0].sleep(for: .milliseconds(1))
            }
            async let drained: Void = server.drain(within: .seconds(30))
            let areClosed = try await idle.value
            #expect(areClosed)
            await #expect(throws: RawClient.Failure.self) {
                try await talk(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") { _ in }
            }
            for (loop, finish) in waiting.withLock({ $0 }) {
                loop.execute { finish(Response(status: 200, body: [65])) }
            }
            for client in busy {
                let (reply, closed) = try await client.value
                #expect(reply.body == "A")
                #expect(reply["Connection"] == "close")
                #expect(closed)
            }
            let late = try await slow.value
            #expect(late.status == 200)
            #expect(late["Connection"] == "close")
            await drained
            #expect(server.gauges.connections == 0)
        }
    }

    @Test func `an answer that is on its way when the drain begins is sent, and its connection closed`()
        async throws
    {
        let (asked, arrival) = AsyncStream<Void>.makeStream()
        let answer: Answer = { _, _, finish in
            finish(Response(status: 200, body: [UInt8](repeating: 0, count: 32 << 20)))
            arrival.yield()
        }
        try await withServer(answer: answer) { server in
            let client = Task {
                try await talk(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") { client in
                    wait { (try? RawClient(port: server.port)) == nil }
                    return (try client.reply().body.utf8.count, client.isClosed())
                }
            }
            for await _ in asked { break }
            await server.drain(within: .seconds(30))
            let (count, closed) = try await client.value
            #expect(count == 32 << 20)
            #expect(closed)
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
        try await onItsThread { [port = server.port] in
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

    /// A client whose body is complete only some time after the drain has begun.
    private func slowBody(_ server: TestServer) async throws -> Reply {
        let start =
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 20001\r\n\r\n"
            + String(repeating: "x", count: 20_000)
        return try await talk(server, start) { [port = server.port] client in
            wait { (try? RawClient(port: port)) == nil }  // nobody listens any more
            try client.send("x")
            return try client.reply()
        }
    }
}
