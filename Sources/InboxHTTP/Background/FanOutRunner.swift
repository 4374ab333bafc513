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
    private var jobs: [FanOutID: Job] = [:]
    private var lastLook: Duration?
    /// What was logged of fan-outs that fail.
    private var faults: [FanOutID: String] = [:]

    /// A fan-out that this runner has, with who is next to get the message.
    private struct Job {
        var fanOut: FanOut
        var candidates: ArraySlice<InboxID> = []
        /// No further candidates were found.
        var isLast = false
    }

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
        let own = Array(jobs.keys)
        (queue, jobs) = (FanOutQueue(), [:])
        if !own.isEmpty { try await store.release(own, by: runner) }
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
        let chunk = Array(job.candidates.prefix(terms.chunk))
        if let last = chunk.last {
            guard case .delivered = try await store.deliver(job.fanOut, to: chunk, by: runner) else {
                return false
            }
            faults[id] = nil
            job.fanOut.position = last
            job.candidates = job.candidates.dropFirst(chunk.count)
        }
        jobs[id] = job
        guard job.isLast, job.candidates.isEmpty else { return true }
        try await store.finish(job.fanOut, by: runner)
        return false
    }

    /// The fan-out, with candidates if it has any left.
    private func job(of id: FanOutID) async throws -> Job? {
        var known = jobs[id]
        if known == nil { known = try await store.fanOut(id).map { Job(fanOut: $0) } }
        guard var job = known else { return nil }
        if job.candidates.isEmpty, !job.isLast {
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
