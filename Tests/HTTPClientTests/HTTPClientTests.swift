import EventLoop
import HTTPClient
import HTTPCore
import Platform
import Testing

/// Runs `body` on a loop with a client, which is closed afterwards.
func withClient<Result: Sendable>(
    _ change: @Sendable (inout HTTPClientLimits) -> Void = { _ in },
    _ body: @escaping @Sendable (HTTPClient) async throws -> Result
) async throws -> Result {
    let loop = try EventLoop.start(name: "client")
    var limits = HTTPClientLimits()
    change(&limits)
    let client = HTTPClient(loop: loop, limits: limits)
    let result = await Task(executorPreference: loop) {
        defer { client.close() }
        return try await body(client)
    }.result
    loop.stop()
    loop.join()
    return try result.get()
}

@Suite(.timeLimit(.minutes(10)))
struct HTTPClientTests {
    private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Name: v\r\n\r\nok"

    private func base(_ server: ScriptedServer, prefix: String = "") -> BaseURL {
        BaseURL(host: "127.0.0.1", port: server.port, pathPrefix: prefix)
    }

    @Test func `a request goes out as it is, with Host and length, and its answer comes back`() async throws {
        let server = try ScriptedServer([[.send(ok)]])
        let base = base(server, prefix: "/base")
        let response = try await withClient { client in
            try await client.send(
                Request(.put, "/p?q=%20", headers: ["If-None-Match": "\"1\""], body: Array("body".utf8)),
                to: base)
        }
        #expect(response.status == 200)
        #expect(response.headers["x-name"] == "v")
        #expect(response.body == Array("ok".utf8))
        let head = server.heads.withLock { $0[0] }
        #expect(
            head.split(separator: "\r\n") == [
                "PUT /base/p?q=%20 HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "If-None-Match: \"1\"",
                "Content-Length: 4",
            ])
    }

    @Test func `a connection is kept for the next request`() async throws {
        let server = try ScriptedServer([[.send(ok), .send(ok), .send(ok)]])
        let base = base(server)
        let open = try await withClient { client in
            for _ in 0..<3 { _ = try await client.send(Request(.get, "/"), to: base) }
            return client.openConnections
        }
        #expect(open == 1)
    }

    @Test(arguments: [
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        ("HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", 304, ""),
        ("HTTP/1.1 404 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", 404, "abc"),
        ("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n", 500, ""),
    ])
    func `every kind of answer comes back whole`(text: String, status: Int, body: String) async throws {
        let server = try ScriptedServer([[.send(text), .send(ok)]])
        let base = base(server)
        let (first, second) = try await withClient { client in
            (
                try await client.send(Request(.get, "/"), to: base),
                try await client.send(Request(.get, "/"), to: base)
            )
        }
        #expect(first.status == status)
        #expect(first.body == Array(body.utf8))
        #expect(second.body == Array("ok".utf8))
    }

    @Test func `an answer may end with its connection`() async throws {
        let server = try ScriptedServer([[.sendAndClose("HTTP/1.0 200 OK\r\n\r\nto the end")], [.send(ok)]])
        let base = base(server)
        let bodies = try await withClient { client in
            [
                try await client.send(Request(.get, "/"), to: base).body,
                try await client.send(Request(.get, "/"), to: base).body,
            ]
        }
        #expect(bodies == [Array("to the end".utf8), Array("ok".utf8)])
    }

    @Test func `a read that met a closing connection is sent once more`() async throws {
        let server = try ScriptedServer([[.send(ok), .sendAndClose("")], [.send(ok)]])
        let base = base(server)
        let statuses = try await withClient { client in
            [
                try await client.send(Request(.get, "/"), to: base).status,
                try await client.send(Request(.get, "/"), to: base).status,
            ]
        }
        #expect(statuses == [200, 200])
        #expect(server.heads.withLock { $0.count } == 3)
    }

    @Test func `a write that met a closing connection is not sent again`() async throws {
        let server = try ScriptedServer([[.send(ok), .sendAndClose("")]])
        let base = base(server)
        await #expect(throws: HTTPClientError.disconnected) {
            try await withClient { client in
                _ = try await client.send(Request(.post, "/"), to: base)
                _ = try await client.send(Request(.post, "/"), to: base)
            }
        }
        #expect(server.heads.withLock { $0.count } == 2)
    }

    @Test func `a fresh connection that ends without an answer fails, also for reads`() async throws {
        let server = try ScriptedServer([[.sendAndClose("")]])
        let base = base(server)
        await #expect(throws: HTTPClientError.disconnected) {
            try await withClient { try await $0.send(Request(.get, "/"), to: base) }
        }
    }

    @Test func `an answer that breaks off fails`() async throws {
        let server = try ScriptedServer([[.sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]])
        let base = base(server)
        await #expect(throws: HTTPClientError.disconnected) {
            try await withClient { try await $0.send(Request(.get, "/"), to: base) }
        }
    }

    @Test(arguments: [
        "what is this?\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n",
        "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 2000))\r\n\r\n",
    ])
    func `what is no answer, or too large, is refused`(text: String) async throws {
        let server = try ScriptedServer([[.send(text), .hang]])
        let base = base(server)
        await #expect(throws: HTTPClientError.badAnswer) {
            try await withClient {
                $0.bodyBytes = 100
                $0.headBytes = 1000
            } _: {
                try await $0.send(Request(.get, "/"), to: base)
            }
        }
    }

    @Test func `nobody there is unreachable`() async throws {
        await #expect(throws: HTTPClientError.unreachable) {
            try await withClient {
                try await $0.send(Request(.get, "/"), to: BaseURL(host: "127.0.0.1", port: 1))
            }
        }
    }

    @Test func `a request that cannot be sent is refused`() async throws {
        let bad = [
            (Request(.get, "/a b"), BaseURL(host: "127.0.0.1", port: 1)),
            (Request(.get, "/", headers: ["X": "a\r\nY: b"]), BaseURL(host: "127.0.0.1", port: 1)),
            (Request(.get, "/"), BaseURL(isSecure: true, host: "127.0.0.1", port: 1)),
        ]
        for (request, base) in bad {
            await #expect(throws: HTTPClientError.unusable) {
                try await withClient { try await $0.send(request, to: base) }
            }
        }
    }
}
