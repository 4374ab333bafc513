import EventLoop
import HTTPClient
import HTTPCore
import SimulatorKit
import Testing

@testable import FaultProxy

/// What becomes of connections: streams, servers that go, clients that do not read, and many at once.
@Suite(.timeLimit(.minutes(2)))
struct ConnectionFaultTests {
    @Test func `a frozen stream carries nothing any more and stays open`() async throws {
        var rates = FaultRates([.freeze: 1_000])
        rates.longestStall = .milliseconds(1)
        try await Stage.with(rates) { stage in
            let events = Received()
            let stream = stage.client.open(Request(.get, "/events"), to: stage.base) { events.add($0) }
            try await stage.wait { await stage.proxy.counts[.freeze] == 1 }
            stage.streams[0].send(Array("never".utf8))
            try await stage.loop.sleep(for: .milliseconds(50))
            #expect(events.pieces == [])
            #expect(stream.isOpen)
            #expect(stage.reasons == [])
            await stage.proxy.heal()
            try await stage.wait { !stream.isOpen }
            #expect(events.hasFailed)
        }
    }

    @Test(arguments: [FaultKind.truncation, .resetWithin])
    func `a stream is cut after it has carried something`(kind: FaultKind) async throws {
        var rates = FaultRates([kind: 1_000])
        rates.longestStall = .milliseconds(500)
        try await Stage.with(rates, seed: 3) { stage in
            let events = Received()
            let stream = stage.client.open(Request(.get, "/events"), to: stage.base) { events.add($0) }
            try await stage.wait { !stage.streams.isEmpty }
            stage.streams[0].send(Array("before".utf8))
            try await stage.wait { !stream.isOpen }
            #expect(events.pieces == ["before"])
            #expect(events.hasFailed)
            try await stage.wait { stage.reasons == [.clientLeft] }
        }
    }

    @Test func `a client that leaves is missed by the server`() async throws {
        try await Stage.with(.none) { stage in
            let stream = stage.client.open(Request(.get, "/events"), to: stage.base) { _ in }
            try await stage.wait { !stage.streams.isEmpty }
            stream.cancel()
            try await stage.wait { stage.reasons == [.clientLeft] }
            try await stage.wait { await stage.proxy.openConnections == 0 }
        }
    }

    @Test func `healing resets what is half open, and lets go on what is held`() async throws {
        var rates = FaultRates([.stall: 1_000])
        rates.longestStall = .seconds(60)
        try await Stage.with(rates, connections: 2) { stage in
            async let stalled = stage.post("stalled")
            try await stage.wait { await stage.proxy.counts[.stall] == 1 }
            await stage.proxy.set(FaultRates([.loss: 1_000]))
            async let lost = stage.post("lost")
            try await stage.wait { await stage.proxy.counts[.loss] == 1 }
            await stage.proxy.heal()
            #expect(await stalled == .success(2))
            #expect(await lost == .failure(.disconnected))
            #expect(await stage.post("after") == .success(2))
        }
    }

    @Test func `connections go to every server, and to the others when one is gone`() async throws {
        try await Stage.with(.none, servers: 2, connections: 20) { stage in
            for number in 0..<10 { #expect(await stage.post("\(number)") == .success(2)) }
            stage.stopFirstServer()
            for number in 10..<40 {
                // A kept connection to the server that went tells of it once.
                if await stage.post("\(number)") != .success(2) {
                    #expect(await stage.post("\(number)") == .success(2))
                }
            }
        }
    }

    @Test func `without any server a connection is closed`() async throws {
        try await Stage.with(.none) { stage in
            stage.stopServers()
            #expect(await stage.post("a") == .failure(.disconnected))
            try await stage.wait { await stage.proxy.openConnections == 0 }
        }
    }

    @Test func `of an answer that nobody takes only a little is kept`() async throws {
        try await Stage.with(.none) { stage in
            stage.answerBytes = 32 << 20
            let socket = try #require(Socket.connecting(to: stage.proxy.port))
            let request = Array("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".utf8)
            try await stage.wait { socket.send(request[...]) == .passed(request.count) }
            try await stage.wait { await stage.proxy.waitingBytes > 0 }
            try await stage.loop.sleep(for: .milliseconds(200))
            #expect(await stage.proxy.waitingBytes <= 64 << 10)
            #expect(try await readAll(socket, stage) > 32 << 20)
            socket.close()
            try await stage.wait { await stage.proxy.openConnections == 0 }
        }
    }

    /// Reads to the end, with pauses; how much came.
    private func readAll(_ socket: Socket, _ stage: Stage) async throws -> Int {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var count = 0
        while true {
            switch socket.receive(into: &buffer) {
            case .passed(let more): count += more
            case .later: try await stage.loop.sleep(for: .milliseconds(1))
            case .ended, .broken: return count
            }
        }
    }

    @Test func `many connections are carried at once`() async throws {
        // Each takes four descriptors here, and beyond some 1,300 of them Foundation's `Process` of other tests fails.
        try await Stage.with(.none, connections: 150) { stage in
            let answers = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<3_000 {
                    group.addTask(executorPreference: stage.loop) {
                        await stage.post("\(number)", within: .seconds(60)) == .success(2)
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answers == 3_000)
            #expect(await stage.proxy.counts.connections == 150)
            #expect(Set(stage.bodies).count == 3_000)
        }
    }

    @Test func `a storm of faults leaves nothing behind once it is healed`() async throws {
        var rates = FaultRates()
        for kind in FaultKind.allCases where kind != .refusal { rates[kind] = 100 }
        rates.longestStall = .milliseconds(20)
        rates.longestDelay = .milliseconds(20)
        try await Stage.with(rates, connections: 50) { stage in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask(executorPreference: stage.loop) {
                        _ = await stage.post("\(number)", within: .milliseconds(500))
                    }
                }
            }
            #expect(await stage.proxy.counts.faults > 0)
            await stage.proxy.heal()
            #expect(await stage.post("after") == .success(2))
            #expect(await stage.proxy.waitingBytes == 0)
        }
    }

    /// What a stream has handed over; touched on the loop's thread only.
    private final class Received: @unchecked Sendable {
        var pieces: [String] = []
        var hasFailed = false

        func add(_ event: StreamEvent) {
            switch event {
            case .head: break
            case .piece(let bytes): pieces.append(String(decoding: bytes, as: UTF8.self))
            case .ended, .failed: hasFailed = true
            }
        }
    }
}
