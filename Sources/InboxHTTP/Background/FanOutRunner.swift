package import EventLoop
import Foundation
import InboxModel
package import InboxService

/// Delivers messages to audiences that are too large for one request, a chunk in each step.
///
/// Any number of runners may share a database: each fan-out has one at a time, and goes on elsewhere when that is
/// gone. What a runner remembers only saves it a look; the truth is the stored position.
package actor FanOutRunner {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let store: any FanOutStore
    private let terms: FanOutTerms
    private let runner = UUID()
    private var queue = FanOutQueue()
    private var jobs: [FanOutID: FanOutJob] = [:]
    private var lastLook: Duration?
    /// What was logged of fan-outs that fail.
    private var faults: [FanOutID: String] = [:]

    /// Nothing happens before `step`; `loop` alone may use `store` from now on.
    package init(on loop: EventLoop, store: sending any FanOutStore, terms: FanOutTerms) {
        self.loop = loop
        self.store = store
        self.terms = terms
    }

    /// Delivers the next chunk of the fan-out whose turn it is; a `BackgroundWorker`'s step.
    package func step() async throws -> BackgroundWorker.Rest {
        try await lookIfDue()
        guard let id = queue.next() else { return .upTo(terms.lookEvery) }
        do {
            if try await !advance(id) { forget(id) }
        } catch {
            // Others have their turn; this one has its next after the next look, which begins at what is stored.
            forget(id)
            report(error, of: id)
            if queue.isEmpty { return .upTo(terms.pauseAfterFailure) }
        }
        return .none
    }

    /// Leaves all that is unfinished to other runners, at once; when no step will follow.
    package func release() async throws {
        let own = jobs
        (queue, jobs) = (FanOutQueue(), [:])
        // What comes after the release would take the fan-out back.
        for job in own.values { await job.settle() }
        if !own.isEmpty { try await store.release(Array(own.keys), by: runner) }
    }

    private func lookIfDue() async throws {
        if let lastLook, !queue.isEmpty, loop.uptime - lastLook < terms.lookEvery { return }
        lastLook = loop.uptime
        queue.update(try await store.openFanOuts(for: runner, most: terms.atOnce))
        let known = Set(queue.all)
        jobs = jobs.filter { known.contains($0.key) }
        faults = faults.filter { known.contains($0.key) }
    }

    /// False if it is over, or another's.
    private func advance(_ id: FanOutID) async throws -> Bool {
        guard var job = try await job(of: id) else { return false }
        job.send(upTo: terms.inFlight, of: terms.chunk) { fanOut, inboxes in
            Task(executorPreference: loop) { try await self.deliver(fanOut, to: inboxes) }
        }
        if let chunk = job.sent.first {
            guard case .delivered = try await outcome(of: chunk, in: job) else { return false }
            faults[id] = nil
            job.advance()
        }
        jobs[id] = job
        guard job.isLast, job.isDone else { return true }
        try await store.finish(job.fanOut, by: runner)
        return false
    }

    private func deliver(_ fanOut: FanOut, to inboxes: [InboxID]) async throws -> ChunkOutcome {
        try await store.deliver(fanOut, to: inboxes, by: runner)
    }

    /// What became of the oldest chunk; where it failed, those behind it have found that out.
    private func outcome(of chunk: FanOutJob.Chunk, in job: FanOutJob) async throws -> ChunkOutcome {
        do {
            var outcome = try await chunk.outcome.value
            if outcome == .forestalled, chunk.isAhead {
                // Perhaps the one before it was undone and done again, after this one had its turn.
                outcome = try await deliver(chunk.fanOut, to: chunk.inboxes)
            }
            if outcome != .delivered { await job.settle() }
            return outcome
        } catch {
            await job.settle()
            throw error
        }
    }

    /// The fan-out, with candidates if it has any left.
    private func job(of id: FanOutID) async throws -> FanOutJob? {
        var known = jobs[id]
        if known == nil { known = try await store.fanOut(id).map { FanOutJob(fanOut: $0) } }
        guard var job = known else { return nil }
        if job.isDone, !job.isLast {
            let found = try await store.candidates(of: job.fanOut, most: terms.readAhead)
            job.candidates = found[...]
            job.isLast = found.count < terms.readAhead
        }
        return job
    }

    private func forget(_ id: FanOutID) {
        queue.remove(id)
        jobs[id] = nil
    }

    /// Logs a fault once, however often it comes.
    private func report(_ error: any Error, of id: FanOutID) {
        let fault = "\(error)"
        guard faults[id] != fault else { return }
        faults[id] = fault
        terms.log("fan-out: message \(id.message.text) waits after a failure: \(fault)")
    }
}

/// What a runner of fan-outs is told at its start.
package struct FanOutTerms: Sendable {
    /// Inboxes in one transaction.
    package var chunk: Int
    /// Chunks of a fan-out that are on their way at once, so that PostgreSQL need not wait for the next.
    package var inFlight = 2
    /// Candidates that are read at once, so that an audience is walked once for many chunks: 1.6 MB.
    package var readAhead = 200_000
    /// Fan-outs that take turns.
    package var atOnce = 16
    /// How long it takes at most until what another instance sent or left is found.
    package var lookEvery = Duration.seconds(1)
    /// How long one that failed is left alone where there is no other.
    package var pauseAfterFailure = Duration.seconds(1)
    /// Takes one line for the log.
    package var log: @Sendable (String) -> Void = { _ in }

    package init(chunk: Int) { self.chunk = chunk }
}
