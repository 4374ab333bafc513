import Platform

/// A value that many watch: each is given the current one at once, then the newest one after each change.
final class Broadcast<Value: Equatable & Sendable>: Sendable {
    private let state: Lock<State>

    private struct State {
        var value: Value
        var watchers = Listeners<Value>()
    }

    init(_ value: Value) { state = Lock(State(value: value)) }

    /// Tells a value; the same one again tells nothing.
    func tell(_ value: Value) {
        let watchers: [AsyncStream<Value>.Continuation] = state.withLock { state in
            guard state.value != value else { return [] }
            state.value = value
            return state.watchers.all
        }
        for watcher in watchers { watcher.yield(value) }
    }

    /// Tells nothing more, and ends all sequences.
    func end() {
        for watcher in state.withLock({ $0.watchers.end() }) { watcher.finish() }
    }

    /// How many watch.
    var watcherCount: Int { state.withLock { $0.watchers.count } }

    /// The values for one who watches; of those that were not taken only the newest is kept.
    func watch() -> AsyncStream<Value> {
        let (stream, watcher) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            watcher.yield(state.value)
            return state.watchers.add(watcher)
        }
        guard let number else {
            watcher.finish()
            return stream
        }
        watcher.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.watchers.remove(number) } }
        return stream
    }
}
