import EventLoop
import HTTPCore
import HTTPServer
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConversationTests {
    @Test func `a connection is kept for the next request`() async throws {
        try await withServer { server in
            let bodies = try await onItsThread { [port = server.port] in
                let client = try RawClient(port: port)
                return try (1...3).map { number in
                    try client.send("GET /\(number)?q HTTP/1.1\r\nHost: h\r\n\r\n")
                    return try client.reply().body
                }
            }
            #expect(bodies == ["GET /1?q  @h", "GET /2?q  @h", "GET /3?q  @h"])
        }
    }

    @Test func `several requests in one packet are answered in order`() async throws {
        let packet = """
            GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc\
            GET /3 HTTP/1.1\r\nHost: h\r\n\r\n
            """
        try await withServer { server in
            let bodies = try await talk(server, packet) { client in
                try (1...3).map { _ in try client.reply().body }
            }
            #expect(bodies == ["GET /1  @h", "POST /2 abc @h", "GET /3  @h"])
        }
    }

    @Test func `a request may come byte by byte`() async throws {
        let request = "POST /p HTTP/1.1\r\nHost: h\r\nX: 1\r\nContent-Length: 2\r\n\r\nab"
        try await withServer { server in
            let body = try await onItsThread { [port = server.port] in
                let client = try RawClient(port: port)
                for byte in request.utf8 { try client.send([byte]) }
                return try client.reply().body
            }
            #expect(body == "POST /p ab x=1 @h")
        }
    }

    @Test func `a chunked body is put together`() async throws {
        let request =
            "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n"
        try await withServer { server in
            let body = try await talk(server, request + request) { client in
                _ = try client.reply()
                return try client.reply().body
            }
            #expect(body == "PUT /c abc0123456789 @h")
        }
    }

    @Test(arguments: ["GET", "DELETE", "OPTIONS", "PATCH"])
    func `other methods may have a body too`(method: String) async throws {
        let request = "\(method) /d HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok"
        try await withServer { server in
            let bodies = try await talk(server, request + request) {
                [try $0.reply().body, try $0.reply().body]
            }
            #expect(bodies == ["\(method) /d ok @h", "\(method) /d ok @h"])
        }
    }

    @Test func `HEAD has the length but no body`() async throws {
        try await withServer { server in
            let (reply, next) = try await talk(
                server, "HEAD /h HTTP/1.1\r\nHost: h\r\n\r\nGET /h HTTP/1.1\r\nHost: h\r\n\r\n"
            ) { (try $0.reply(toHead: true), try $0.reply()) }
            #expect(reply.status == 200)
            #expect(reply["Content-Length"] == "11")
            #expect(next.body == "GET /h  @h")
        }
    }

    @Test func `a client that asks first is told to continue`() async throws {
        try await withServer { server in
            let replies = try await talk(
                server, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
            ) { client in
                let first = try client.reply()
                try client.send("ok")
                return [first, try client.reply()]
            }
            #expect(replies.map(\.status) == [100, 200])
            #expect(replies.last?.body == "POST / ok @h")
        }
    }

    @Test func `HTTP 1.0 closes unless the client wants to go on`() async throws {
        try await withServer { server in
            let (kept, closed) = try await talk(
                server, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n"
            ) { client in
                let kept = try client.reply()
                _ = try client.reply()
                return (kept, client.isClosed())
            }
            #expect(kept["Connection"] == "keep-alive")
            #expect(closed)
        }
    }

    @Test(arguments: ["close", "Close", "TE, close", "close , x"])
    func `a client that wants to close is let go`(connection: String) async throws {
        try await withServer { server in
            let (reply, closed) = try await talk(
                server, "GET / HTTP/1.1\r\nHost: h\r\nConnection: \(connection)\r\n\r\n"
            ) { (try $0.reply(), $0.isClosed()) }
            #expect(reply["Connection"] == "close")
            #expect(closed)
        }
    }

    @Test func `a client that only stops sending gets its answer`() async throws {
        try await withServer(answer: later) { server in
            let reply = try await onItsThread { [port = server.port] in
                let client = try RawClient(port: port)
                try client.send("GET /half HTTP/1.1\r\nHost: h\r\n\r\n")
                client.finishSending()
                return try client.reply()
            }
            #expect(reply.body == "GET /half  @h")
        }
    }

    @Test func `an answer may come in a later pass, and the next request waits for it`() async throws {
        try await withServer(answer: later) { server in
            let bodies = try await talk(
                server, "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n"
            ) { [try $0.reply().body, try $0.reply().body] }
            #expect(bodies == ["GET /1  @h", "GET /2  @h"])
        }
    }

    @Test func `a large answer arrives whole`() async throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)
        try await withServer(answer: { _, _, finish in finish(Response(status: 200, body: body)) }) {
            server in
            let counts = try await talk(
                server, "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"
            ) { [try $0.reply().body.utf8.count, try $0.reply().body.utf8.count] }
            #expect(counts == [8 << 20, 8 << 20])
        }
    }

    @Test func `the other end's address is known`() async throws {
        try await withServer(answer: { $2(Response(status: 200, body: Array($0.peer.utf8))) }) { server in
            let reply = try await talk(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") { try $0.reply() }
            #expect(reply.body == "127.0.0.1")
        }
    }

    @Test func `a request that the loop answers itself makes no foreign jobs`() async throws {
        try await withServer(answer: later) { server in
            let before = server.loops[0].foreignJobs
            let replies = try await talk(
                server, String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 20)
            ) { client in try (0..<20).map { _ in try client.reply().status } }
            #expect(replies == Array(repeating: 200, count: 20))
            #expect(server.loops[0].foreignJobs == before)
        }
    }
}
