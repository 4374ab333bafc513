import ClientCore
import EventLoop
import HTTPClient
import HTTPCore
import Platform
import Testing

/// Who opens streams.
enum StreamOpener: CaseIterable {
    case loop
    case session

    /// Gives `body` one of it.
    func with(_ body: @escaping @Sendable (any StreamTransport) async throws -> Void) async throws {
        switch self {
        case .loop: try await withClient { try await body($0) }
        case .session: try await body(URLSessionStreams())
        }
    }
}

/// Takes the parts of a stream for a test.
private final class Parts: Sendable {
    private let parts = AsyncStream<StreamPart>.makeStream()

    func take(_ part: StreamPart) {
        parts.continuation.yield(part)
        if part == .end { parts.continuation.finish() }
    }

    /// The next part; nothing behind the end.
    func next() async -> StreamPart? {
        for await part in parts.stream { return part }
        return nil
    }

    func status() async -> Int? {
        if case .head(let response) = await next() { response.status } else { nil }
    }
}

/// What every transport of streams must do.
@Suite(.timeLimit(.minutes(10)))
struct StreamTransportTests {
    private func withStreams(
        _ opener: StreamOpener,
        _ body: @escaping @Sendable (any StreamTransport, BaseURL, StreamServer) async throws -> Void
    ) async throws {
        let server = try await StreamServer()
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        try await opener.with { try await body($0, base, server) }
        await server.stop()
    }

    @Test(arguments: StreamOpener.allCases)
    func `head and bytes come as the server sends them, then the end`(opener: StreamOpener) async throws {
        try await withStreams(opener) { transport, base, server in
            let parts = Parts()
            let stream = transport.openStream(Request(.get, "/a?b=c"), to: base, parts.take)
            #expect(await parts.status() == 200)
            for text in ["one", "two"] {
                server.streams.withLock { $0[0] }.send(text, on: server.loop)
                #expect(await parts.next() == .bytes(Array(text.utf8)))
            }
            server.streams.withLock { $0[0] }.end(on: server.loop)
            #expect(await parts.next() == .end)
            stream.cancel()
            #expect(await parts.next() == nil)
        }
    }

    @Test(arguments: StreamOpener.allCases)
    func `a cancelled stream leaves the server`(opener: StreamOpener) async throws {
        try await withStreams(opener) { transport, base, server in
            let parts = Parts()
            let stream = transport.openStream(Request(.get, "/"), to: base, parts.take)
            #expect(await parts.status() == 200)
            stream.cancel()
            while server.reasons.withLock({ $0.isEmpty }) {
                try await server.loop.sleep(for: .milliseconds(1))
            }
        }
    }

    @Test(arguments: StreamOpener.allCases)
    func `a dozen streams are open at once`(opener: StreamOpener) async throws {
        try await withStreams(opener) { transport, base, server in
            let all = (0..<12).map { _ in Parts() }
            let streams = all.map { transport.openStream(Request(.get, "/"), to: base, $0.take) }
            for parts in all { #expect(await parts.status() == 200) }
            for stream in streams { stream.cancel() }
        }
    }

    @Test(arguments: StreamOpener.allCases)
    func `without a server it ends`(opener: StreamOpener) async throws {
        try await opener.with { transport in
            let parts = Parts()
            let stream = transport.openStream(
                Request(.get, "/"), to: BaseURL(host: "127.0.0.1", port: 1), parts.take)
            #expect(await parts.next() == .end)
            stream.cancel()
        }
    }

    @Test(arguments: StreamOpener.allCases, [200, 302, 401, 503])
    func `the head is the server's own, then the end`(opener: StreamOpener, status: Int) async throws {
        let server = try ScriptedServer([
            [
                .sendAndClose(
                    "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\nRetry-After: 7\r\nLocation: /b\r\n"
                        + "WWW-Authenticate: Basic realm=\"a\"\r\n\r\n")
            ]
        ])
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        try await opener.with { transport in
            let parts = Parts()
            let stream = transport.openStream(
                Request(.get, "/", headers: ["Authorization": "Basic YTpi"]), to: base, parts.take)
            guard case .head(let response) = await parts.next() else {
                Issue.record("no head")
                return
            }
            #expect(response.status == status && response.headers["Retry-After"] == "7")
            #expect(await parts.next() == .end)
            stream.cancel()
        }
    }
}
