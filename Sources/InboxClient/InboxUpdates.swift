/// The values of something that changes: the current one first, then each other one, never the same twice in a row.
///
/// Any number of tasks may iterate it, each for itself. Who is slow gets the newest value and misses those between. It
/// ends when the inbox is closed.
public struct InboxUpdates<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// What an iteration gives.
    public typealias Element = Value
    /// An iteration never fails.
    public typealias Failure = Never

    let source: Broadcast<[InboxMessage]>
    /// What of the messages it is that is watched.
    let value: @Sendable ([InboxMessage]) -> Value

    /// Begins an iteration; it ends with its task, or when nobody holds the iterator any more.
    public func makeAsyncIterator() -> Iterator {
        Iterator(messages: source.watch().makeAsyncIterator(), value: value)
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private var messages: AsyncStream<[InboxMessage]>.Iterator
        private let value: @Sendable ([InboxMessage]) -> Value
        private var last: Value?

        init(
            messages: AsyncStream<[InboxMessage]>.Iterator,
            value: @escaping @Sendable ([InboxMessage]) -> Value
        ) {
            self.messages = messages
            self.value = value
        }

        /// The newest value as soon as it differs from the last one that was given here.
        public mutating func next() async -> Value? { await next(isolation: #isolation) }

        /// The same, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while let messages = await messages.next(isolation: actor) {
                let value = value(messages)
                guard value != last else { continue }
                last = value
                return value
            }
            return nil
        }
    }
}
