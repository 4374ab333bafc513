import EventLoop
import Foundation
import InboxModel
import InboxService
import Platform
import TestSupport
import Testing

@testable import InboxHTTP

struct FanOutQueueTests {
    private static func id(_ app: Int32, _ number: UInt64) -> FanOutID {
        FanOutID(app: AppID(rawValue: app), message: MessageID(high: 0, low: number))
    }

    @Test func `apps take turns, and within an app its fan-outs do`() {
        var queue = FanOutQueue()
        queue.update([Self.id(1, 1), Self.id(2, 1), Self.id(1, 2), Self.id(1, 3)])
        let turns = (0..<8).map { _ in queue.next() }
        #expect(
            turns == [
                Self.id(1, 1), Self.id(2, 1), Self.id(1, 2), Self.id(2, 1), Self.id(1, 3), Self.id(2, 1),
                Self.id(1, 1), Self.id(2, 1),
            ])
    }

    @Test func `who is not found any more is let go, and who is new comes last`() {
        var queue = FanOutQueue()
        queue.update([Self.id(1, 1), Self.id(1, 2), Self.id(2, 1)])
        #expect(queue.next() == Self.id(1, 1))
        queue.update([Self.id(1, 1), Self.id(1, 2), Self.id(3, 1)])
        #expect(
            (0..<4).map { _ in queue.next() } == [Self.id(1, 2), Self.id(3, 1), Self.id(1, 1), Self.id(3, 1)])
        for id in [Self.id(1, 1), Self.id(3, 1), Self.id(9, 9)] { queue.remove(id) }
        #expect((0..<2).map { _ in queue.next() } == [Self.id(1, 2), Self.id(1, 2)])
        queue.remove(Self.id(1, 2))
        #expect(queue.isEmpty && queue.next() == nil && queue.all.isEmpty)
    }
}

struct FanOutRunnerTests {
    @Test func `an idle runner asks one small question and rests`() async throws {
        try await withLoop { loop in
            let calls = Lock<[String]>([])
            let runner = FanOutRunner(
                on: loop, store: ScriptedFanOuts(calls: calls, open: []), terms: FanOutTerms(chunk: 5))
            #expect(try await runner.step() == .upTo(.seconds(1)))
            try await runner.release()
            #expect(calls.withLock { $0 } == ["open"])
        }
    }

    @Test func `a fan-out is loaded once, walked once, delivered in chunks and finished`() async throws {
        try await withLoop { loop in
            let calls = Lock<[String]>([])
            var terms = FanOutTerms(chunk: 5)
            terms.lookEvery = .seconds(3600)
            let runner = FanOutRunner(
                on: loop, store: ScriptedFanOuts(calls: calls, open: [1]), terms: terms)
            for _ in 0..<3 {
                let rest = try await runner.step()
                #expect(rest == .none)
            }
            #expect(
                calls.withLock { $0 } == [
                    "open", "load 1", "walk 1 after 0", "deliver 1: 1...5", "deliver 1: 6...10",
                    "deliver 1: 11...12", "finish 1 at 12",
                ])
        }
    }

    @Test func `one that fails alone waits for the next look, and keeps no loop busy`() async throws {
        try await withLoop { loop in
            let calls = Lock<[String]>([])
            let runner = FanOutRunner(
                on: loop, store: ScriptedFanOuts(calls: calls, open: [1], failing: 1),
                terms: FanOutTerms(chunk: 4))
            let rest = try await runner.step()
            #expect(rest == .upTo(.seconds(1)))
            #expect(
                calls.withLock { $0.suffix(2) } == ["deliver 1: 1...4", "deliver 1: 5...8"],
                "the one ahead fails with it, and none comes behind them")
        }
    }

    @Test func `a chunk ahead of one that was done again is delivered again, once`() async throws {
        try await withLoop { loop in
            let calls = Lock<[String]>([])
            let runner = FanOutRunner(
                on: loop, store: ScriptedFanOuts(calls: calls, open: [1], forestalling: 5),
                terms: FanOutTerms(chunk: 4))
            for _ in 0..<3 { _ = try await runner.step() }
            #expect(
                calls.withLock { $0.dropFirst(3) } == [
                    "deliver 1: 1...4", "deliver 1: 5...8", "deliver 1: 5...8", "deliver 1: 9...12",
                    "finish 1 at 12",
                ])
        }
    }

    @Test func `a runner that ends waits for the chunk ahead before it leaves the fan-out to others`()
        async throws
    {
        try await withLoop { loop in
            let calls = Lock<[String]>([])
            let runner = FanOutRunner(
                on: loop, store: ScriptedFanOuts(calls: calls, open: [1], pausingOn: loop),
                terms: FanOutTerms(chunk: 4))
            _ = try await runner.step()
            try await runner.release()
            let done = calls.withLock { $0.dropFirst(5) }
            #expect(Set(done) == ["delivered 4", "delivered 8", "release [1]"])
            #expect(done.last == "release [1]")
        }
    }

    @Test func `one that fails is logged once and lets others go on`() async throws {
        try await withLoop { loop in
            let calls = Lock<[String]>([])
            let lines = Lock<[String]>([])
            var terms = FanOutTerms(chunk: 6)
            terms.lookEvery = .zero
            terms.log = { line in lines.withLock { $0.append(line) } }
            let runner = FanOutRunner(
                on: loop, store: ScriptedFanOuts(calls: calls, open: [1, 2], failing: 1), terms: terms)
            for _ in 0..<9 { _ = try await runner.step() }
            #expect(calls.withLock { $0 }.contains("finish 2 at 12"))
            #expect(calls.withLock { $0.count { $0 == "deliver 1: 1...6" } } > 2)
            #expect(lines.withLock { $0.count } == 1)
            try await runner.release()
            #expect(calls.withLock { $0.last } != "release [1]", "what failed was let go before")
        }
    }
}

/// Fan-outs, one of each app, to the inboxes 1 to 12, which note what is asked of them.
private final class ScriptedFanOuts: FanOutStore {
    private let calls: Lock<[String]>
    private var open: [Int32]
    private let failing: Int32?
    /// The first inbox of a chunk that comes too early once.
    private var forestalling: Int64?
    /// Where a chunk takes a while; then its end is noted too.
    private let loop: EventLoop?

    init(
        calls: Lock<[String]>, open: [Int32], failing: Int32? = nil, forestalling: Int64? = nil,
        pausingOn loop: EventLoop? = nil
    ) {
        (self.calls, self.open, self.failing) = (calls, open, failing)
        (self.forestalling, self.loop) = (forestalling, loop)
    }

    private func note(_ call: String) { calls.withLock { $0.append(call) } }

    func openFanOuts(for runner: UUID, most: Int) async throws -> [FanOutID] {
        note("open")
        return open.map { FanOutID(app: AppID(rawValue: $0), message: MessageID(high: 0, low: 0)) }
    }

    func fanOut(_ id: FanOutID) async throws -> FanOut? {
        note("load \(id.app.rawValue)")
        return FanOut(
            id: id, audience: .everyone, deviceTypes: .all, deliveryMode: .devices,
            position: InboxID(rawValue: 0))
    }

    func candidates(of fanOut: FanOut, most: Int) async throws -> [InboxID] {
        note("walk \(fanOut.id.app.rawValue) after \(fanOut.position.rawValue)")
        return (1...12).map { InboxID(rawValue: $0) }
    }

    func deliver(
        _ fanOut: FanOut, to inboxes: [InboxID], by runner: UUID
    ) async throws -> ChunkOutcome {
        let (first, last) = (inboxes[0].rawValue, inboxes[inboxes.count - 1].rawValue)
        note("deliver \(fanOut.id.app.rawValue): \(first)...\(last)")
        if fanOut.id.app.rawValue == failing { throw StoreFault.broken("nothing fits") }
        if first == forestalling {
            forestalling = nil
            return .forestalled
        }
        if let loop {
            try await loop.sleep(for: .milliseconds(20))
            note("delivered \(last)")
        }
        return .delivered
    }

    func finish(_ fanOut: FanOut, by runner: UUID) async throws {
        note("finish \(fanOut.id.app.rawValue) at \(fanOut.position.rawValue)")
        open.removeAll { $0 == fanOut.id.app.rawValue }
    }

    func release(_ fanOuts: [FanOutID], by runner: UUID) async throws {
        note("release \(fanOuts.map(\.app.rawValue))")
    }
}
