/// The values of something that changes: the current one first, then each other one, never the same twice in a row.
///
/// Any number of tasks may iterate it, each for itself. Who is slow gets the newest value and misses those between. It
/// ends when the inbox is closed.
public struct InboxUpdates<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// What an iteration gives.
    public typealias Element = Value
    /// An iteration never fails.
    public typealias Failure = Never

    let source: Broadcast<Value>

    /// Begins an iteration; it ends with its task, or when nobody holds the iterator any more.
    public func makeAsyncIterator() -> Iterator { Iterator(values: source.watch().makeAsyncIterator()) }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        var values: AsyncStream<Value>.Iterator
        private var last: Value?

        init(values: AsyncStream<Value>.Iterator) { self.values = values }

        /// The newest value as soon as it differs from the last one that was given here.
        public mutating func next() async -> Value? { await next(isolation: #isolation) }

        /// The same, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while let value = await values.next(isolation: actor) {
                guard value != last else { continue }
                last = value
                return value
            }
            return nil
        }
    }
}
