import Platform
import SimulatorKit

/// An executor whose time stands still while there is work, and then jumps to the next sleeper: a run of many
/// seconds takes as long as its work, and goes the same way each time.
final class VirtualLoop: SerialExecutor, TaskExecutor, RunClock, @unchecked Sendable {
    // All state is behind `state`'s lock, which makes the claim above true.
    private let state = Lock(State())

    private struct State {
        var jobs: [UnownedJob] = []
        var now = Duration.zero
        var sleepers: [(due: Duration, order: Int, wake: CheckedContinuation<Void, Never>)] = []
        var sleeps = 0
    }

    /// The work was done, or nothing can ever go on.
    enum Stuck: Error {
        case forever
    }

    /// Runs `work` to its end on the calling thread.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) throws -> Value {
        let result = Lock<Value?>(nil)
        Task(executorPreference: self) {
            let value = await work()
            result.withLock { $0 = value }
        }
        while true {
            if let value = result.withLock({ $0 }) { return value }
            if let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
                job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            } else if !wakeNext() {
                throw Stuck.forever
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    func now() -> Duration { state.withLock { $0.now } }

    func wall() -> Instant { Instant(milliseconds: 1_800_000_000_000 + now().milliseconds) }

    func sleep(for duration: Duration) async throws {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.sleeps += 1
                state.sleepers.append((state.now + duration, state.sleeps, continuation))
            }
        }
    }

    /// Lets time pass until the next sleeper wakes; false if nobody sleeps.
    private func wakeNext() -> Bool {
        let wake = state.withLock { state -> CheckedContinuation<Void, Never>? in
            let next = state.sleepers.indices.min {
                (state.sleepers[$0].due, state.sleepers[$0].order)
                    < (state.sleepers[$1].due, state.sleepers[$1].order)
            }
            guard let next else { return nil }
            let sleeper = state.sleepers.remove(at: next)
            state.now = max(state.now, sleeper.due)
            return sleeper.wake
        }
        wake?.resume()
        return wake != nil
    }
}
