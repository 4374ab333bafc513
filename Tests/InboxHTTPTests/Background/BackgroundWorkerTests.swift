import EventLoop
import InboxHTTP
import InboxService
import Platform
import TestSupport
import Testing

@Suite struct BackgroundWorkerTests {
    @Test func `steps follow each other while there is more to do, and then a kick begins the next`()
        async throws
    {
        try await withLoop { loop in
            let steps = Steps([.rest(.none), .rest(.none), .rest(.upTo(.seconds(3600)))])
            let worker = steps.worker(on: loop)
            await worker.start()
            await steps.wait(for: 3)
            worker.kick()
            await steps.wait(for: 4)
            await worker.stop()
            #expect(steps.log == [])
        }
    }

    @Test func `a rest ends by itself`() async throws {
        try await withLoop { loop in
            let steps = Steps([.rest(.upTo(.milliseconds(1))), .rest(.upTo(.milliseconds(1)))])
            let worker = steps.worker(on: loop)
            await worker.start()
            await steps.wait(for: 3)
            await worker.stop()
        }
    }

    @Test func `a kick during a step is not lost`() async throws {
        try await withLoop { loop in
            let steps = Steps([.hold])
            let worker = steps.worker(on: loop)
            await worker.start()
            await steps.wait(for: 1)
            worker.kick()
            loop.execute { steps.release() }  // behind the kick, on the loop
            await steps.wait(for: 2)
            await worker.stop()
        }
    }

    @Test func `a failing step is taken again, and a row of failures is one line of the log`() async throws {
        try await withLoop { loop in
            let steps = Steps([.fail, .fail, .rest(.none), .fail])
            let worker = steps.worker(on: loop)
            await worker.start()
            for number in 1...4 {
                await steps.wait(for: number)
                worker.kick()  // so that nobody waits for the pause
            }
            await steps.wait(for: 5)
            await worker.stop()
            let line = "tests: trying again after a failure: outcome of a write unknown"
            #expect(steps.log == [line, line])
        }
    }

    @Test func `stop returns when the step that runs has ended, and none follows`() async throws {
        try await withLoop { loop in
            let steps = Steps([.hold])
            let worker = steps.worker(on: loop)
            await worker.start()
            await steps.wait(for: 1)
            let events = Lock<[String]>([])
            let stopping = Task(executorPreference: loop) {
                await worker.stop()
                events.withLock { $0.append("stopped") }
            }
            loop.execute {
                events.withLock { $0.append("released") }
                steps.release()
            }
            await stopping.value
            #expect(events.withLock { $0 } == ["released", "stopped"])
            await worker.stop()
            #expect(steps.count == 1)
        }
    }
}

/// What each step of a worker does; those beyond the plan rest for good.
private final class Steps: Sendable {
    enum Plan: Sendable {
        case rest(BackgroundWorker.Rest)
        case fail
        /// Waits for `release`, then rests.
        case hold
    }

    private struct State: Sendable {
        var plans: [Plan]
        var count = 0
        var log: [String] = []
        var held: CheckedContinuation<Void, Never>?
        var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state: Lock<State>

    init(_ plans: [Plan]) { state = Lock(State(plans: plans)) }

    var log: [String] { state.withLock { $0.log } }
    var count: Int { state.withLock { $0.count } }

    func worker(on loop: EventLoop) -> BackgroundWorker {
        BackgroundWorker("tests", on: loop, log: { line in self.state.withLock { $0.log.append(line) } }) {
            try await self.take()
        }
    }

    /// Returns when so many steps have begun.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count >= count { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func release() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        held?.resume()
    }

    private func take() async throws -> BackgroundWorker.Rest {
        let plan = state.withLock { state -> Plan in
            state.count += 1
            return state.plans.isEmpty ? .rest(.upTo(.seconds(3600))) : state.plans.removeFirst()
        }
        switch plan {
        case .rest(let rest):
            tell()
            return rest
        case .fail:
            tell()
            throw StoreFault.outcomeUnknown
        case .hold:
            await withCheckedContinuation { continuation in
                state.withLock { $0.held = continuation }
                tell()
            }
            return .upTo(.seconds(3600))
        }
    }

    private func tell() {
        let ready = state.withLock { state in
            let now = state.count
            let ready = state.waiting.filter { $0.count <= now }
            state.waiting.removeAll { $0.count <= now }
            return ready.map(\.1)
        }
        for continuation in ready { continuation.resume() }
    }
}
