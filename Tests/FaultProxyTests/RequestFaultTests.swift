import EventLoop
import FaultProxy
import HTTPClient
import SimulatorKit
import Testing

/// What each fault does to requests and answers.
@Suite(.timeLimit(.minutes(2)))
struct RequestFaultTests {
    @Test func `without faults requests and answers pass as they are, over one connection`() async throws {
        try await Stage.with(.none) { stage in
            for number in 0..<5 { #expect(await stage.post("\(number)") == .success(2)) }
            #expect(stage.bodies == ["0", "1", "2", "3", "4"])
            let counts = await stage.proxy.counts
            #expect(counts.connections == 1)
            #expect(counts.requests == 5)
            #expect(counts.faults == 0)
        }
    }

    @Test func `a lost request reaches nobody and is answered by nothing`() async throws {
        try await Stage.with(FaultRates([.loss: 1_000])) { stage in
            #expect(await stage.post("lost", within: .milliseconds(200)) == .failure(.timedOut))
            #expect(stage.bodies == [])
            #expect(await stage.proxy.counts[.loss] == 1)
        }
    }

    @Test func `a truncated answer follows a request that took effect`() async throws {
        try await Stage.with(FaultRates([.truncation: 1_000])) { stage in
            guard case .failure = await stage.post("done") else { return #expect(Bool(false)) }
            #expect(stage.bodies == ["done"])
            #expect(await stage.proxy.counts[.truncation] == 1)
            try await stage.wait { await stage.proxy.openConnections == 0 }
        }
    }

    @Test(arguments: [
        (FaultKind.resetBefore, []), (.resetUnanswered, ["done"]), (.resetWithin, ["done"]),
    ])
    func `a reset connection tells nothing of whether the request took effect`(
        kind: FaultKind, bodies: [String]
    ) async throws {
        try await Stage.with(FaultRates([kind: 1_000])) { stage in
            guard case .failure = await stage.post("done") else { return #expect(Bool(false)) }
            #expect(stage.bodies == bodies)
            #expect(await stage.proxy.counts[kind] == 1)
            #expect(await stage.proxy.openConnections == 0)
        }
    }

    @Test func `a repeated request has reached a server twice before its answer comes`() async throws {
        try await Stage.with(FaultRates([.repetition: 1_000])) { stage in
            #expect(await stage.post("one") == .success(2))
            #expect(stage.bodies == ["one", "one"])
            #expect(await stage.post("two") == .success(2))
            #expect(stage.bodies == ["one", "one", "two", "two"])
            #expect(await stage.proxy.counts[.repetition] == 2)
        }
    }

    @Test func `what may not be repeated and what is too long is sent once`() async throws {
        try await Stage.with(FaultRates([.repetition: 1_000])) { stage in
            #expect(await stage.post("xxx") == .success(2))
            #expect(await stage.post(String(repeating: "a", count: 65 << 10)) == .success(2))
            #expect(stage.bodies.count == 2)
            #expect(await stage.proxy.counts.faults == 0)
        }
    }

    @Test(arguments: [FaultKind.delay, .stall])
    func `what is held arrives whole`(kind: FaultKind) async throws {
        var rates = FaultRates([kind: 1_000])
        rates.longestDelay = .milliseconds(40)
        rates.longestStall = .milliseconds(40)
        try await Stage.with(rates) { [rates] stage in
            #expect(await stage.proxy.rates == rates)
            let body = String(repeating: "a", count: 300_000)
            #expect(await stage.post(body) == .success(2))
            #expect(stage.bodies == [body])
            #expect(await stage.proxy.counts[kind] == 1)
        }
    }

    @Test func `after a refusal nobody is taken for a while, and then somebody is`() async throws {
        var rates = FaultRates([.refusal: 1_000])
        rates.longestRefusal = .seconds(1_000_000)  // by the seed, far beyond the test
        try await Stage.with(rates) { stage in
            guard case .failure = await stage.post("a") else { return #expect(Bool(false)) }
            #expect(await stage.post("b") == .failure(.unreachable))
            await stage.proxy.heal()
            #expect(await stage.post("c") == .success(2))
            #expect(await stage.proxy.counts[.refusal] == 1)
            #expect(stage.bodies == ["c"])
        }
    }

    @Test func `the same seed does the same`() async throws {
        var rates = FaultRates()
        for kind in [FaultKind.resetBefore, .resetUnanswered, .repetition, .truncation] { rates[kind] = 200 }
        let first = try await outcomes(rates, seed: 7)
        #expect(try await outcomes(rates, seed: 7) == first)
        #expect(try await outcomes(rates, seed: 8) != first)
    }

    /// How often each request of a few reached the server.
    private func outcomes(_ rates: FaultRates, seed: UInt64) async throws -> [Int] {
        let outcomes = Outcomes()
        try await Stage.with(rates, seed: seed) { stage in
            for number in 0..<60 { _ = await stage.post("\(number)") }
            outcomes.counts = (0..<60).map { number in stage.bodies.count { $0 == "\(number)" } }
        }
        return outcomes.counts
    }

    /// Filled on a loop that has ended when it is read.
    private final class Outcomes: @unchecked Sendable {
        var counts: [Int] = []
    }
}
