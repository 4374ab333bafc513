/// Who is told of something, each by a sequence of their own; kept behind the lock of whoever tells.
struct Listeners<Value: Sendable>: Sendable {
    private var isOver = false
    private var last = 0
    private var continuations: [Int: AsyncStream<Value>.Continuation] = [:]

    var count: Int { continuations.count }

    /// Those to be told; outside the lock.
    var all: [AsyncStream<Value>.Continuation] { Array(continuations.values) }

    /// Adds one and returns its number; nothing if all is over.
    mutating func add(_ continuation: AsyncStream<Value>.Continuation) -> Int? {
        guard !isOver else { return nil }
        last += 1
        continuations[last] = continuation
        return last
    }

    /// Takes one out, to be let go of outside the lock: the last reference may end the stream.
    mutating func remove(_ number: Int) -> AsyncStream<Value>.Continuation? {
        continuations.removeValue(forKey: number)
    }

    /// Takes in nobody from now on; returns those to be ended, outside the lock.
    mutating func end() -> [AsyncStream<Value>.Continuation] {
        isOver = true
        return all
    }
}
