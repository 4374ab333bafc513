import HTTPCore
import HTTPServer
import TestSupport
import Testing

/// Input that a library or a proxy might understand differently, over a raw socket.
@Suite(.timeLimit(.minutes(10)))
struct DifficultInputTests {
    /// Bytes of a request, with ⏎ for each CRLF, and the status of the answer that closes the connection.
    static let refused: [(String, Int)] = [
        // Framing: where does this request end?
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: 3⏎Content-Length: 4⏎⏎abcd", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: 3⏎Content-Length: 3⏎⏎abc", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: +4⏎⏎abcd", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: 4, 4⏎⏎abcd", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: -1⏎⏎", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: 0x4⏎⏎abcd", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: ⏎⏎", 400),
        ("GET / HTTP/1.1⏎Host: h⏎Content-Length: +0⏎⏎", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: 3⏎Transfer-Encoding: chunked⏎⏎0⏎⏎", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎Content-Length: 3⏎⏎0⏎⏎", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: gzip, chunked⏎⏎0⏎⏎", 501),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: gzip⏎Transfer-Encoding: chunked⏎⏎0⏎⏎", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: xchunked⏎⏎0⏎⏎", 501),
        ("POST / HTTP/1.0⏎Transfer-Encoding: chunked⏎⏎0⏎⏎", 400),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: identity⏎⏎abc", 501),
        ("HEAD / HTTP/1.1⏎Host: h⏎Content-Length: 3⏎⏎abc", 400),
        ("TRACE / HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎⏎0⏎⏎", 400),
        // Sizes.
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: 99999999999999999999999⏎⏎", 413),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: 5242881⏎⏎", 413),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎⏎500001⏎", 413),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎⏎zz⏎", 413),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎⏎-1⏎", 413),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎⏎ffffffffffffffff⏎", 413),
        ("GET / HTTP/1.1⏎Host: h⏎X: " + String(repeating: "x", count: 17_000) + "⏎⏎", 400),
        ("GET /" + String(repeating: "x", count: 17_000) + " HTTP/1.1⏎Host: h⏎⏎", 400),
        // Header fields.
        ("GET / HTTP/1.1⏎Host: h⏎X : 1⏎⏎", 400),
        ("GET / HTTP/1.1⏎Host: h⏎: 1⏎⏎", 400),
        ("GET / HTTP/1.1⏎Host: h⏎X(y): 1⏎⏎", 400),
        ("GET / HTTP/1.1⏎Host: h⏎no colon⏎⏎", 400),
        ("GET / HTTP/1.1⏎ X: 1⏎Host: h⏎⏎", 400),
        ("GET / HTTP/1.1⏎Host: h⏎X: a\u{01}b⏎⏎", 400),
        ("GET / HTTP/1.1⏎Host: h⏎X: a\rb⏎⏎", 400),
        ("GET / HTTP/1.1⏎Host: h⏎X\u{0}: 1⏎⏎", 400),
        ("GET / HTTP/1.1⏎⏎", 400),
        ("GET / HTTP/1.1⏎Host: h⏎Host: h⏎⏎", 400),
        ("GET / HTTP/1.0⏎Host: h⏎host: i⏎⏎", 400),
        // First lines.
        ("CONNECT h:1 HTTP/1.1⏎Host: h⏎⏎", 501),
        ("get / HTTP/1.1⏎Host: h⏎⏎", 501),
        ("BREW / HTTP/1.1⏎Host: h⏎⏎", 501),
        ("GET  HTTP/1.1⏎Host: h⏎⏎", 400),
        ("GET x HTTP/1.1⏎Host: h⏎⏎", 400),
        ("GET * HTTP/1.1⏎Host: h⏎⏎", 400),
        ("GET /a b HTTP/1.1⏎Host: h⏎⏎", 400),
        ("GET /a#b HTTP/1.1⏎Host: h⏎⏎", 400),
        ("GET /\u{0}x HTTP/1.1⏎Host: h⏎⏎", 400),
        ("GET ftp://h/x HTTP/1.1⏎Host: h⏎⏎", 400),
        ("GET http://u@h/x HTTP/1.1⏎Host: h⏎⏎", 400),
        ("GET / HTTP/0.9⏎Host: h⏎⏎", 505),
        ("GET / HTTP/1.2⏎Host: h⏎⏎", 505),
        ("GET / HTTP/2.0⏎Host: h⏎⏎", 400),
        ("GET / FTP/1.1⏎Host: h⏎⏎", 400),
        ("⏎GET / HTTP/1.1⏎Host: h⏎⏎", 400),
        ("PRI * HTTP/2.0⏎⏎SM⏎⏎", 400),
    ]

    @Test func `what could be read in two ways is refused, and the rest is not read as a request`()
        async throws
    {
        try await withServer { server in
            for (input, status) in Self.refused {
                let (reply, closed) = try await talk(
                    server, lines(input + "GET /smuggled HTTP/1.1⏎Host: h⏎⏎")
                ) {
                    (try $0.reply(toHead: input.hasPrefix("HEAD")), $0.isClosed())
                }
                #expect(reply.status == status, "\(input.prefix(90))")
                #expect(reply["Connection"] == "close", "\(input.prefix(90))")
                #expect(closed, "\(input.prefix(90))")
            }
            let openConnections = await server.openConnections()
            #expect(openConnections == 0)
        }
    }

    /// Bytes of a request, and what the server makes of it.
    static let accepted: [(String, String)] = [
        ("GET /a HTTP/1.1\nHost: h\nX: 1\n\n", "GET /a  x=1 @h"),
        ("GET /a HTTP/1.1⏎Host: h⏎X: 1⏎  2⏎⏎", "GET /a  x=1 2 @h"),
        ("GET /a HTTP/1.1⏎Host: h⏎X: 1\u{0}2⏎⏎", "GET /a  x=1 @h"),
        ("GET /a HTTP/1.1⏎Host: h⏎X:\t1 \t⏎⏎", "GET /a  x=\t1 @h"),
        ("GET /a HTTP/1.1⏎Host: h⏎X:⏎⏎", "GET /a  x= @h"),
        ("GET /a HTTP/1.1⏎Host: ⏎⏎", "GET /a  @"),
        ("GET /%00%2F%zz?a=%&b HTTP/1.1⏎Host: h⏎⏎", "GET /%00%2F%zz?a=%&b  @h"),
        ("GET http://abs:81/p?q HTTP/1.1⏎Host: h⏎⏎", "GET /p?q  @abs:81"),
        ("GET HTTP://abs HTTP/1.1⏎Host: h⏎⏎", "GET /  @abs"),
        ("GET https://abs?q HTTP/1.1⏎Host: h⏎⏎", "GET /?q  @abs"),
        ("OPTIONS * HTTP/1.1⏎Host: h⏎⏎", "OPTIONS *  @h"),
        ("GET /é HTTP/1.1⏎Host: h⏎⏎", "GET /é  @h"),
        ("POST / HTTP/1.1⏎Host: h⏎Content-Length: 0004⏎⏎abcd", "POST / abcd @h"),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: Chunked⏎⏎0x3⏎abc⏎0⏎⏎", "POST / abc @h"),
        ("POST / HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎⏎0⏎X: t⏎Content-Length: 5⏎⏎", "POST /  @h"),
        ("HEAD / HTTP/1.0⏎Content-Length: 0⏎⏎", ""),
    ]

    @Test func `what can be read in one way is read in that way`() async throws {
        try await withServer { server in
            for (input, expected) in Self.accepted {
                let reply = try await talk(server, lines(input)) {
                    try $0.reply(toHead: input.hasPrefix("HEAD"))
                }
                #expect(reply.status == 200, "\(input)")
                #expect(reply.body == expected, "\(input)")
            }
        }
    }

    @Test func `a target that is no UTF-8 is refused`() async throws {
        try await withServer { server in
            let reply = try await onItsThread { [port = server.port] in
                let client = try RawClient(port: port)
                try client.send(Array("GET /".utf8) + [0xff] + Array(lines(" HTTP/1.1⏎Host: h⏎⏎").utf8))
                return try client.reply()
            }
            #expect(reply.status == 400)
        }
    }

    @Test func `the layer's own refusals are problem documents`() async throws {
        try await withServer { server in
            let reply = try await talk(server, lines("GET / HTTP/1.1⏎⏎")) { try $0.reply() }
            #expect(reply["Content-Type"] == "application/problem+json")
            #expect(
                reply.body
                    == #"{"status":400,"title":"Bad Request","detail":"A request has exactly one Host field."}"#
            )
        }
    }

    @Test func `an absolute target keeps the connection`() async throws {
        try await withServer { server in
            let bodies = try await talk(
                server, lines(String(repeating: "GET http://a/x HTTP/1.1⏎Host: h⏎⏎", count: 2))
            ) { [try $0.reply().body, try $0.reply().body] }
            #expect(bodies == ["GET /x  @a", "GET /x  @a"])
        }
    }

    @Test func `an unknown expectation is refused once`() async throws {
        let request = "POST / HTTP/1.1⏎Host: h⏎Content-Length: 2⏎Expect: tea⏎⏎ok"
        try await withServer { server in
            let (status, closed) = try await talk(server, lines(request)) {
                (try $0.reply().status, $0.isClosed())
            }
            #expect(status == 417)
            #expect(closed)
        }
    }
}

/// Text with a CRLF for each ⏎.
private func lines(_ text: String) -> String {
    text.replacing("⏎", with: "\r\n")
}
