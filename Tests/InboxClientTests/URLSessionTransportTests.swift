import ClientCore
import Foundation
import HTTPCore
import InboxClient
import InboxModel
import Platform
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a server may do to a client, and a client to its request.
@Suite(.timeLimit(.minutes(1)))
struct URLSessionTransportTests {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let chunk = "10000\r\n\(String(repeating: "x", count: 65_536))\r\n"

    private func status(_ answer: RawServer.Answer, bodyBytes: Int) async throws -> Int {
        let status = Lock(0)
        try await RawServer.with(answer) { server in
            let transport = URLSessionTransport(within: .seconds(20), bodyBytes: bodyBytes)
            let response = try await transport.send(Request(.get, "/"), to: server.base)
            status.withLock { $0 = response.status }
            #expect(response.body.count <= bodyBytes)
        }
        return status.withLock { $0 }
    }

    @Test func `an answer as large as the limit is taken, a larger one is not`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n"
        let answer = head + String(repeating: "x", count: 1_000)
        #expect(try await status(.text(answer), bodyBytes: 1_000) == 200)
        await #expect(throws: URLSessionTransportError.badAnswer) {
            try await status(.text(answer), bodyBytes: 999)
        }
    }

    @Test func `an answer that is announced as too large is not waited for`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n"
        await #expect(throws: URLSessionTransportError.badAnswer) {
            try await status(.text(head), bodyBytes: URLSessionTransport.mostBodyBytes)
        }
    }

    @Test func `an answer without an end is given up at the limit`() async throws {
        try await RawServer.with(.endless(Self.chunked, piece: Self.chunk, count: 128)) { server in
            let transport = URLSessionTransport(within: .seconds(20), bodyBytes: 1 << 20)
            await #expect(throws: URLSessionTransportError.badAnswer) {
                try await transport.send(Request(.get, "/"), to: server.base)
            }
            await server.isLeft()
        }
    }

    @Test(arguments: [301, 304, 401, 404, 500]) func `every answer is handed over as it is`(
        status code: Int
    ) async throws {
        let text = """
            HTTP/1.1 \(code) Text\r\nLocation: /other\r\nWWW-Authenticate: Basic realm="x"\r\n\
            Content-Length: 0\r\nConnection: close\r\n\r\n
            """
        #expect(try await status(.text(text), bodyBytes: 10) == code)
    }

    @Test func `an answer that is cut short is none`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"
        await #expect(throws: URLError.self) { try await status(.cut(head), bodyBytes: 10) }
    }

    @Test func `a request whose task is cancelled ends at once, and its connection with it`() async throws {
        try await RawServer.with(.silence) { server in
            let transport = URLSessionTransport(within: .seconds(50))
            let task = Task { try await transport.send(Request(.get, "/"), to: server.base) }
            await server.isAsked()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.isLeft()
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.send(Request(.get, "/"), to: server.base)
            }
            await #expect(throws: CancellationError.self) { try await late.value }
        }
    }

    @Test(arguments: [InboxConfiguration.WireForm.martlet, .device])
    func `an inbox that is closed ends the request that is under way, tells nothing, and loses nothing`(
        wire: InboxConfiguration.WireForm
    ) async throws {
        let store = FaultyLocalStore()
        try store.save([.installation(Self.installation), .confirmed(.person(nil))])
        try store.save([.view(nil, CachedView([.made(1), .made(2)], cursor: "c"))])
        try await RawServer.with(.silence) { server in
            let inbox = try await Inbox(configuration(server, wire), store: store)
            await server.isAsked()
            try await inbox.markRead([text(1)])
            let events = inbox.events
            let refresh = Task { await inbox.refresh() }
            await inbox.close()
            await server.isLeft()
            #expect(await refresh.value == false)
            for await event in events { Issue.record("\(event) was told") }
        }
        #expect(try store.load().outbox.head.marks.map(\.message) == [.made(1)])
    }

    private static var installation: Installation {
        var installation = Shell.installation
        installation.credential = InboxCredential(user: "user", password: "password")
        return installation
    }

    private func configuration(
        _ server: RawServer, _ wire: InboxConfiguration.WireForm
    ) throws -> InboxConfiguration {
        var configuration = InboxConfiguration(
            server: try #require(URL(string: "\(server.base)")), appKey: "kkkkkkkkkkkkkkkkkkkkkk",
            appSecret: "ssssssssssssssssssssss", folder: URL(fileURLWithPath: "/nowhere"))
        configuration.wireForm = wire
        return configuration
    }

    @Test func `a line of a stream without an end is not kept, and the stream can be closed`() async throws {
        try await RawServer.with(.endless(Self.chunked, piece: Self.chunk, count: 128)) { server in
            let (stream, streams) = (HintStream(), URLSessionStreams())
            stream.open(Request(.get, "/"), at: server.base, over: streams)
            while server.bytesTaken < 8 << 20 { await Task.yield() }
            #expect(stream.take() == [])
            stream.cancel()
            await server.isLeft()
            withExtendedLifetime(streams) {}
        }
    }
}
