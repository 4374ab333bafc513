import Crypto
import EventLoop
import HTTPClient
import HTTPCore
import TestSupport
import Testing

/// Opens streams of events over real sockets, on a loop of its own.
actor EventClient {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let client: HTTPClient

    private init(loop: EventLoop) {
        self.loop = loop
        var limits = HTTPClientLimits()
        limits.streams = 1000
        client = HTTPClient(loop: loop, limits: limits)
    }

    /// Gives `body` a client for as long as it runs.
    static func with(_ body: @escaping @Sendable (EventClient) async throws -> Void) async throws {
        try await withLoop { loop in
            let client = EventClient(loop: loop)
            let result = await Task { try await body(client) }.result
            await client.close()
            try result.get()
        }
    }

    /// Opens a device's stream; it has been told `ready`.
    nonisolated func open(_ device: Device, at server: Server) async throws -> EventFeed {
        let feed = EventFeed()
        await begin(device, server, feed)
        let first = await feed.next()
        try #require(first?.contains("event: ready") == true, "\(first ?? "nothing")")
        return feed
    }

    private func begin(_ device: Device, _ server: Server, _ feed: EventFeed) {
        var request = Request(.get, "/v1/inbox/events")
        let credential = Base64.encode(Array("\(device.user):\(device.password)".utf8))
        request.headers.add("Authorization", "Basic \(credential)")
        var text = ""
        _ = client.open(request, to: server.base) { event in
            switch event {
            case .head(let response):
                if response.status != 200 { feed.blocks.continuation.yield("status \(response.status)") }
            case .piece(let bytes):
                text += String(decoding: bytes, as: UTF8.self)
                while let end = text.firstRange(of: "\n\n") {
                    feed.blocks.continuation.yield(String(text[..<end.lowerBound]))
                    text = String(text[end.upperBound...])
                }
            case .ended: feed.blocks.continuation.finish()
            case .failed(let error):
                feed.blocks.continuation.yield("failed \(error)")
                feed.blocks.continuation.finish()
            }
        }
    }

    private func close() { client.close() }
}

/// What a stream has told.
final class EventFeed: Sendable {
    fileprivate let blocks = AsyncStream<String>.makeStream()

    /// The next event, heartbeats aside; nothing when the stream has ended.
    func next() async -> String? {
        for await block in blocks.stream where block != ":" { return block }
        return nil
    }
}
