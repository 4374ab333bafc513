import EventLoop
import Platform

/// Runs work on a loop of the calling thread, and the loop until it is done.
///
/// - Parameter end: is called on the loop behind the work, whatever came of it.
func onLoop<Value: Sendable>(
    _ loop: EventLoop, _ work: @escaping @Sendable () async throws -> Value,
    end: @escaping @Sendable () -> Void = {}
) throws -> Value {
    let result = Lock<Result<Value, any Error>?>(nil)
    Task(executorPreference: loop) {
        do {
            let value = try await work()
            result.withLock { $0 = .success(value) }
        } catch {
            result.withLock { $0 = .failure(error) }
        }
        end()
        loop.stop()
    }
    loop.run()
    guard let result = result.withLock({ $0 }) else { preconditionFailure("the work stops the loop") }
    return try result.get()
}
