import EventLoop
import HTTPCore
import InboxHTTP
import InboxWire
import Platform
import Testing

/// A client of a stream: what it is told, to be waited for.
final class Watcher: StreamCarrier, @unchecked Sendable {
    // Touched on the shard's loop only, but for what is behind locks: that makes the claim above true.

    /// A block of the stream.
    struct Event: Hashable, Sendable {
        /// Empty for a comment.
        var name = ""
        var id: String?
        var data: String?
        var retry: String?
    }

    private let loop: EventLoop
    private let stream: ResponseStream
    private let events = AsyncStream<Event>.makeStream()
    private let seen = Lock<[Event]>([])
    private let waiting = Lock(0)
    private var text = ""

    /// Begins to read the stream of an answer, on its loop.
    init(_ response: Response, on loop: EventLoop) async throws {
        self.loop = loop
        stream = try #require(response.stream)
        await withCheckedContinuation { continuation in
            loop.execute {
                self.stream.begin(on: self)
                continuation.resume()
            }
        }
    }

    /// The next event, heartbeats aside; nothing when the stream is over.
    func next() async -> Event? {
        for await event in events.stream where !event.name.isEmpty { return event }
        return nil
    }

    /// Returns with the next heartbeat.
    func heartbeat() async {
        for await event in events.stream where event.name.isEmpty { return }
    }

    /// What came so far, heartbeats aside.
    var all: [Event] { seen.withLock { $0.filter { !$0.name.isEmpty } } }

    /// Lets the client leave.
    func leave() async { await close(.clientLeft) }

    /// Closes as the server's HTTP does.
    func close(_ reason: ResponseStream.Reason) async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.stream.close(reason)
                self.events.continuation.finish()
                continuation.resume()
            }
        }
    }

    /// Lets the client take nothing: so many bytes wait for it.
    func stall(bytes: Int) { waiting.withLock { $0 = bytes } }

    // MARK: What the stream asks of its carrier

    var waitingBytes: Int { waiting.withLock { $0 } }

    func carry(_ bytes: [UInt8]) {
        loop.preconditionIsCurrent()
        text += String(decoding: bytes, as: UTF8.self)
        while let end = text.firstRange(of: "\n\n") {
            let event = Event(block: text[..<end.lowerBound])
            text = String(text[end.upperBound...])
            seen.withLock { $0.append(event) }
            events.continuation.yield(event)
        }
    }

    func endBody() { events.continuation.finish() }
}

extension Watcher.Event {
    /// Reads a block by the rules of `text/event-stream`.
    fileprivate init(block: Substring) {
        for line in block.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { continue }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            switch line[..<colon] {
            case "event": name = value
            case "id": id = value
            case "data": data = value
            case "retry": retry = value
            default: Issue.record("no client knows the field of \(line)")
            }
        }
    }
}

extension DeviceStage {
    /// Opens a stream; it has been told `ready`.
    func watch(_ authorization: String) async throws -> Watcher {
        let answer = await call(.get, "/v1/inbox/events", authorization)
        try #require(answer.status == 200, "\(answer.text)")
        let watcher = try await Watcher(answer, on: shard.loop)
        let first = try #require(await watcher.next())
        #expect(first.name == "ready" && first.data == "{}" && first.retry == "3000" && first.id != nil)
        return watcher
    }
}

extension Phone {
    /// Opens a stream of this installation.
    func watch() async throws -> Watcher { try await stage.watch(basic) }
}
