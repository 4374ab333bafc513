import Dispatch
package import EventLoop

/// Runs `body` as a task on a new loop's thread; the loop ends with it.
package func withLoop<Success: Sendable>(
    _ body: @escaping @Sendable (EventLoop) async throws -> Success
) async throws -> Success {
    let loop = try EventLoop.start(name: "test loop")
    let result = await Task(executorPreference: loop) { try await body(loop) }.result
    loop.stop()
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            loop.join()
            continuation.resume()
        }
    }
    return try result.get()
}
