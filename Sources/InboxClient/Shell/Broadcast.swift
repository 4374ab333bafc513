import Platform

/// A value that many watch: each is given the current one at once, then the newest one after each change.
final class Broadcast<Value: Equatable & Sendable>: Sendable {
    private let state: Lock<State>

    private struct State {
        var value: Value
        var isOver = false
        var last = 0
        var watchers: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    init(_ value: Value) { state = Lock(State(value: value)) }

    /// Tells a value; the same one again tells nothing.
    func tell(_ value: Value) {
        let watchers: [AsyncStream<Value>.Continuation] = state.withLock { state in
            guard state.value != value else { return [] }
            state.value = value
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.yield(value) }
    }

    /// Tells nothing more, and ends all sequences.
    func end() {
        let watchers = state.withLock { state in
            state.isOver = true
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.finish() }
    }

    /// How many watch.
    var watcherCount: Int { state.withLock { $0.watchers.count } }

    /// The values for one who watches; of those that were not taken only the newest is kept.
    func watch() -> AsyncStream<Value> {
        let (stream, watcher) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            watcher.yield(state.value)
            guard !state.isOver else { return nil }
            state.last += 1
            state.watchers[state.last] = watcher
            return state.last
        }
        guard let number else {
            watcher.finish()
            return stream
        }
        watcher.onTermination = { [weak self] _ in self?.forget(number) }
        return stream
    }

    private func forget(_ number: Int) {
        // Let go of outside the lock: the last reference may end the stream.
        let watcher = state.withLock { $0.watchers.removeValue(forKey: number) }
        _ = watcher
    }
}
