import EventLoop
import HTTPCore
import HTTPServer
import Platform
import TestSupport
import Testing

/// Requests that are damaged, cut into pieces and abandoned at random.
@Suite(.timeLimit(.minutes(10)))
struct MutationTests {
    private static let requests = [
        "GET /a/b?c=%20d HTTP/1.1\r\nHost: h\r\nAuthorization: Basic YTpi\r\nX: 1\r\n  folded\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n0123456789",
        "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nT: 1\r\n\r\n",
        "POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        "HEAD http://other/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    ]

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `the server survives them, keeps nothing of them, and serves others`(seed: UInt64) async throws {
        var limits = HTTPLimits()
        limits.headWithin = .milliseconds(40)
        limits.bodyWithin = .milliseconds(40)
        limits.requestWithin = .milliseconds(40)
        limits.bodyBytes = 1_000
        let answer: Answer = { request, loop, finish in
            switch request.target.utf8.count % 4 {
            case 0: later(request, loop, finish)
            case 1: break  // never answered
            default: echo(request, loop, finish)
            }
        }
        try await withServer(limits, answer: answer) { server in
            try await onItsThread { [port = server.port] in
                var chance = Chance(state: seed)
                for _ in 0..<120 { try abuse(port, &chance) }
                let client = try RawClient(port: port)
                try client.send("GET /12345 HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.reply().status == 200)
            }
            while await server.openConnections() > 0 {
                try await server.loops[0].sleep(for: .milliseconds(5))
            }
            #expect(server.gauges.connections == 0)
            #expect(server.gauges.unfinishedBodyBytes == 0)
        }
    }

    /// Sends some damaged requests over one connection, and leaves.
    private func abuse(_ port: UInt16, _ chance: inout Chance) throws {
        let client = try RawClient(port: port)
        var bytes: [UInt8] = []
        for _ in 0..<chance.next(3) + 1 {
            bytes += Array(Self.requests[chance.next(Self.requests.count)].utf8)
        }
        for _ in 0..<chance.next(4) { damage(&bytes, &chance) }
        do {
            while !bytes.isEmpty, chance.next(20) > 0 {
                let count = min(bytes.count, chance.next(60) + 1)
                try client.send(Array(bytes.prefix(count)))
                bytes.removeFirst(count)
            }
            if chance.next(2) == 0 { _ = client.hasReply(within: 3) }
        } catch is RawClient.Failure {
            return  // refused before it was sent whole
        }
    }

    private func damage(_ bytes: inout [UInt8], _ chance: inout Chance) {
        let place = chance.next(bytes.count)
        switch chance.next(4) {
        case 0: bytes[place] = UInt8(chance.next(256))
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8(chance.next(256)), at: place)
        default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 20)], at: place)
        }
    }
}

/// Numbers that are the same for the same seed.
private struct Chance {
    var state: UInt64

    /// A number from 0 to below `bound`.
    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
