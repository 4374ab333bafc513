extension EventLoop {
    /// Waits on the loop for at least `duration`, which is rounded up to milliseconds; from any thread.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func sleep(for duration: Duration) async throws {
        let sleeper = Sleeper(loop: self)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if isCurrent { return sleeper.begin(duration, continuation) }
                execute { sleeper.begin(duration, continuation) }
            }
        } onCancel: {
            execute { sleeper.cancel() }
        }
    }
}

/// One sleep, which ends by its timer or by being cancelled.
private final class Sleeper: @unchecked Sendable {
    // Created anywhere, then touched on the loop's thread only, which makes the claim above true.
    private let loop: EventLoop
    private var timer: LoopTimer?
    private var continuation: CheckedContinuation<Void, any Error>?
    private var isCancelled = false

    init(loop: EventLoop) {
        self.loop = loop
    }

    func begin(_ duration: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        self.continuation = continuation
        timer = loop.timer(after: duration) { [self] in end(.success(())) }
    }

    func cancel() {
        isCancelled = true
        timer?.cancel()
        end(.failure(CancellationError()))
    }

    private func end(_ result: Result<Void, any Error>) {
        timer = nil
        continuation?.resume(with: result)
        continuation = nil
    }
}
