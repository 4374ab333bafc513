import EventLoop
import HTTPCore
import HTTPServer
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    private func limits(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
        var limits = HTTPLimits()
        change(&limits)
        return limits
    }

    @Test(arguments: [(99, 200), (100, 200), (101, 413)])
    func `a body may have as many bytes as the limit says`(bytes: Int, status: Int) async throws {
        let body = String(repeating: "x", count: bytes)
        try await withServer(limits { $0.bodyBytes = 100 }) { server in
            for request in [
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(bytes)\r\n\r\n" + body,
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(String(bytes, radix: 16))\r\n\(body)\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + String(repeating: "1\r\nx\r\n", count: bytes) + "0\r\n\r\n",
            ] {
                let reply = try await talk(server, request) { try $0.reply() }
                #expect(reply.status == status)
            }
        }
    }

    @Test(arguments: [(1023, 200), (1024, 200), (1025, 400)])
    func `the lines of a head may have as many bytes as the limit says`(bytes: Int, status: Int) async throws
    {
        let lines = ["GET / HTTP/1.1", "Host: h", "X: "]
        let filler = String(repeating: "x", count: bytes - lines.map(\.utf8.count).reduce(0, +))
        try await withServer(limits { $0.headBytes = 1024 }) { server in
            let head = lines.joined(separator: "\r\n") + filler + "\r\n\r\n"
            let reply = try await talk(server, head) { try $0.reply() }
            #expect(reply.status == status)
        }
    }

    @Test func `a large body arrives whole and is forgotten by the gauge`() async throws {
        let body = String(repeating: "0123456789", count: 400_000)
        let answer: Answer = { $2(Response(status: 200, body: Array(String($0.body.count).utf8))) }
        try await withServer(answer: answer) { server in
            let reply = try await talk(
                server, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
            ) { try $0.reply() }
            #expect(reply.body == "4000000")
            #expect(server.gauges.unfinishedBodyBytes == 0)
        }
    }

    @Test func `bodies that arrive in all connections together are limited`() async throws {
        let limits = limits { $0.unfinishedBodyBytes = 300_000 }
        try await withServer(limits) { server in
            let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n"
            let replies = try await onItsThread { [port = server.port, gauges = server.gauges] in
                let first = try RawClient(port: port)
                try first.send(head + String(repeating: "x", count: 250_000))
                wait { gauges.unfinishedBodyBytes >= 200_000 }
                let second = try RawClient(port: port)
                try second.send(head + String(repeating: "x", count: 90_000))
                let refused = try second.reply()
                try first.send(String(repeating: "x", count: 40_000))
                let third = try RawClient(port: port)
                try third.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                return [refused, try third.reply()]
            }
            #expect(replies.map(\.status) == [503, 200])
            #expect(replies[0]["Connection"] == "close" && replies[0]["Retry-After"] == "1")
            while await server.openConnections() > 0 {
                try await server.loops[0].sleep(for: .milliseconds(2))
            }
            #expect(server.gauges.unfinishedBodyBytes == 0)
        }
    }

    @Test func `a chunk's extension without end is cut off`() async throws {
        try await withServer(limits { $0.bodyBytes = 1000 }) { server in
            let reply = try await talk(
                server,
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;"
                    + String(repeating: "x", count: 90_000)
            ) { try $0.reply() }
            #expect(reply.status == 413)
        }
    }

    @Test func `requests that pile up behind slow answers wait at the client and are all answered`()
        async throws
    {
        let count = 6_000  // more than the server keeps for a connection, less than the kernel does
        try await withServer(limits { $0.bodyBytes = 100 }) { server in
            let answered = try await talk(
                server, String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: count)
            ) { client in try (0..<count).filter { _ in try client.reply().status == 200 }.count }
            #expect(answered == count)
        }
    }

    @Test func `connections beyond the limit are answered 503, across loops`() async throws {
        try await withServer(limits { $0.connections = 4 }, loops: 2) { server in
            let statuses = try await onItsThread { [port = server.port] in
                let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
                let kept = try (0..<4).map { _ in
                    let client = try RawClient(port: port)
                    try client.send(request)
                    return (client, try client.reply().status)
                }
                let beyond = try RawClient(port: port)
                return kept.map(\.1) + [try beyond.reply().status, beyond.isClosed() ? 0 : 1]
            }
            #expect(statuses == [200, 200, 200, 200, 503, 0])
            #expect(server.gauges.refusedConnections == 1)
            while await server.openConnections() > 0 {
                try await server.loops[0].sleep(for: .milliseconds(2))
            }
            #expect(server.gauges.connections == 0)
        }
    }

    @Test func `one address has a limit of its own, unless it is not counted`() async throws {
        let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        for (uncounted, expected) in [([], [200, 200, 503]), (["127.0.0.1"], [200, 200, 200])] {
            let limits = limits {
                $0.connectionsPerAddress = 2
                $0.uncountedAddresses = Set(uncounted)
            }
            try await withServer(limits) { server in
                let statuses = try await onItsThread { [port = server.port] in
                    let clients = try (0..<3).map { _ in try RawClient(port: port) }
                    return try clients.map { client in
                        try? client.send(request)
                        return try client.reply().status
                    }
                }
                #expect(statuses == expected)
                // Those that have gone leave their place to others.
                while await server.openConnections() > 0 {
                    try await server.loops[0].sleep(for: .milliseconds(2))
                }
                let again = try await talk(server, request) { try $0.reply().status }
                #expect(again == 200)
            }
        }
    }
}
