package import EventLoop

/// Work that a process does besides answering, on a loop: bounded steps, one at a time, until it is stopped.
///
/// A step says when the next is due. It does little at a time, so that requests keep their turn; a long one pauses by the
/// loop's `sleep`, which ends it when the worker is stopped. One that fails is logged and taken again, after pauses that
/// grow: whatever a step does must be right if it is repeated.
package actor BackgroundWorker {
    /// When the next step is due.
    package enum Rest: Hashable, Sendable {
        /// At once: there is more to do.
        case none
        /// After so long, or when the worker is kicked.
        case upTo(Duration)
    }

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let name: String
    private let log: @Sendable (String) -> Void
    private let step: @Sendable () async throws -> Rest
    private var task: Task<Void, Never>?
    private var isStopping = false
    /// Kicked since the last step began.
    private var isKicked = false
    private var failures = 0
    private var pause: (timer: LoopTimer, continuation: CheckedContinuation<Void, Never>)?

    /// A worker on `loop` that does nothing before `start`.
    ///
    /// - Parameters:
    ///   - name: what stands before its lines in the log.
    ///   - step: called on the loop; what it throws must hold no secret.
    package init(
        _ name: String, on loop: EventLoop, log: @escaping @Sendable (String) -> Void,
        step: @escaping @Sendable () async throws -> Rest
    ) {
        self.name = name
        self.loop = loop
        self.log = log
        self.step = step
    }

    /// Begins with a first step after a pause; once.
    package func start(after pause: Duration = .zero) {
        precondition(task == nil, "a worker is started once")
        task = Task(executorPreference: loop) { await self.work(after: pause) }
    }

    /// Ends a rest now: there is something to do; from any thread.
    package nonisolated func kick() {
        loop.execute { self.assumeIsolated { $0.wake() } }
    }

    /// Lets the current step end, and returns when no further one comes; again is a no-op.
    package func stop() async {
        isStopping = true
        task?.cancel()
        wake()
        await task?.value
    }

    private func work(after first: Duration) async {
        if first > .zero, !isStopping { await pause(for: first) }
        while !isStopping {
            isKicked = false
            let rest = await take()
            if case .upTo(let duration) = rest, !isStopping, !isKicked { await pause(for: duration) }
        }
    }

    private func take() async -> Rest {
        do {
            let rest = try await step()
            failures = 0
            return rest
        } catch is CancellationError {
            return .upTo(BackgroundWorker.longestPause)
        } catch {
            // The first of a row: an outage is one line, not one a second.
            if failures == 0 { log("\(name): trying again after a failure: \(error)") }
            failures += 1
            return .upTo(min(.milliseconds(250 << min(failures - 1, 6)), BackgroundWorker.longestPause))
        }
    }

    private func pause(for duration: Duration) async {
        await withCheckedContinuation { continuation in
            let timer = loop.timer(after: duration) { self.assumeIsolated { $0.wake() } }
            pause = (timer, continuation)
        }
    }

    private func wake() {
        isKicked = true
        pause?.timer.cancel()
        pause?.continuation.resume()
        pause = nil
    }

    /// Between attempts of a step that fails.
    private static let longestPause = Duration.seconds(10)
}
