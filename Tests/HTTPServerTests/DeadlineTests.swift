import EventLoop
import HTTPCore
import HTTPServer
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DeadlineTests {
    /// Short enough for a test, and far enough from each other to tell them apart by the answer.
    private func limits(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
        var limits = HTTPLimits()
        change(&limits)
        return limits
    }

    /// Sends a byte every few milliseconds until the server has had enough.
    private func drip(_ bytes: String, to port: UInt16) async throws -> (Reply, closed: Bool) {
        try await onItsThread {
            let client = try RawClient(port: port)
            try client.send(bytes)
            while !client.hasReply(within: 5) { try client.send("x") }
            return (try client.reply(), client.isClosed())
        }
    }

    @Test func `a head that drips is answered 408 and closed`() async throws {
        try await withServer(limits { $0.headWithin = .milliseconds(80) }) { server in
            let (reply, closed) = try await drip("GET / HTTP/1.1\r\nX: ", to: server.port)
            #expect(reply.status == 408)
            #expect(reply.body.contains("head"))
            #expect(reply["Connection"] == "close")
            #expect(closed)
        }
    }

    @Test func `a body that drips is answered 408 and closed`() async throws {
        try await withServer(limits { $0.bodyWithin = .milliseconds(80) }) { server in
            let (reply, closed) = try await drip(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n", to: server.port)
            #expect(reply.status == 408)
            #expect(reply.body.contains("body"))
            #expect(closed)
        }
    }

    @Test func `a chunk longer than its size is answered 408`() async throws {
        try await withServer(limits { $0.bodyWithin = .milliseconds(80) }) { server in
            let (reply, closed) = try await talk(
                server,
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabcdef\r\n0\r\n\r\n"
            ) { (try $0.reply(), $0.isClosed()) }
            #expect(reply.status == 408)
            #expect(closed)
        }
    }

    @Test func `a head in pieces begins the body's time where it ends`() async throws {
        try await withServer(
            limits { ($0.headWithin, $0.bodyWithin) = (.milliseconds(60), .seconds(30)) }
        ) { server in
            let status = try await onItsThread { [port = server.port] in
                let client = try RawClient(port: port)
                try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r")
                try client.send("\nab")
                #expect(!client.hasReply(within: 250))  // the head's time is long over
                try client.send("cd")
                return try client.reply().status
            }
            #expect(status == 200)
        }
    }

    @Test func `garbage is closed when the time for a head is over`() async throws {
        try await withServer(limits { $0.headWithin = .milliseconds(50) }) { server in
            let (status, closed) = try await talk(server, "\u{16}\u{3}\u{1}\u{2}hello without a line end") {
                (try $0.reply().status, $0.isClosed())
            }
            #expect(status == 408)
            #expect(closed)
        }
    }

    @Test func `a connection without a request is closed after a while, a used one too`() async throws {
        try await withServer(limits { $0.idle = .milliseconds(50) }) { server in
            let closed = try await onItsThread { [port = server.port] in
                let fresh = try RawClient(port: port)
                let used = try RawClient(port: port)
                try used.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try used.reply()
                return [fresh.isClosed(), used.isClosed()]
            }
            #expect(closed == [true, true])
        }
    }

    @Test func `a request that is not answered in time gets 503, and its late answer is dropped`()
        async throws
    {
        let late = Lock<(@Sendable (Response) -> Void)?>(nil)
        let answer: Answer = { request, loop, finish in
            request.path == "/slow" ? late.withLock { $0 = finish } : echo(request, loop, finish)
        }
        try await withServer(limits { $0.requestWithin = .milliseconds(50) }, answer: answer) { server in
            let replies = try await talk(
                server, "GET /slow HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n"
            ) { [try $0.reply(), try $0.reply()] }
            #expect(replies.map(\.status) == [503, 200])
            #expect(replies[0]["Content-Type"] == "application/problem+json")
            #expect(replies[0]["Retry-After"] == "1")
            let finish = try #require(late.withLock { $0 })
            await Task(executorPreference: server.loops[0]) { finish(Response(status: 200)) }.value
        }
    }

    @Test func `a client that leaves while its request waits costs no more than the wait`() async throws {
        let late = Lock<(@Sendable (Response) -> Void)?>(nil)
        let (asked, arrival) = AsyncStream<Void>.makeStream()
        let answer: Answer = { _, _, finish in
            late.withLock { $0 = finish }
            arrival.yield()
        }
        try await withServer(limits { $0.requestWithin = .milliseconds(100) }, answer: answer) { server in
            try await talk(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") { _ in }  // and gone
            for await _ in asked { break }
            while await server.openConnections() > 0 {
                try await server.loops[0].sleep(for: .milliseconds(5))
            }
            #expect(server.gauges.connections == 0)
            let finish = try #require(late.withLock { $0 })
            await Task(executorPreference: server.loops[0]) { finish(Response(status: 200)) }.value
        }
    }

    @Test func `a client that does not take its answer is closed`() async throws {
        let body = [UInt8](repeating: 0, count: 32 << 20)
        let answer: Answer = { _, _, finish in finish(Response(status: 200, body: body)) }
        try await withServer(limits { $0.answerWithin = .milliseconds(80) }, answer: answer) { server in
            try await onItsThread { [port = server.port, gauges = server.gauges] in
                let client = try RawClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                wait { gauges.connections == 0 }
                withExtendedLifetime(client) {}
            }
        }
    }

    @Test func `others are served meanwhile`() async throws {
        try await withServer(limits { $0.headWithin = .seconds(600) }) { server in
            let statuses = try await onItsThread { [port = server.port] in
                let slow = try [
                    "GET / HT", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab", "\u{16}\u{3}",
                ]
                .map { start in
                    let client = try RawClient(port: port)
                    try client.send(start)
                    return client
                }
                let client = try RawClient(port: port)
                return try (0..<50).map { _ in
                    for other in slow { try other.send("x") }
                    try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    return try client.reply().status
                }
            }
            #expect(statuses == Array(repeating: 200, count: 50))
        }
    }
}
