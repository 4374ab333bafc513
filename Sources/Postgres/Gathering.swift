import EventLoop

/// Look-ups by key that are gathered while a pass of the loop lasts, and sent as one statement at its end.
///
/// Most of what a look-up costs PostgreSQL is to start a statement, not to find a row. Confined to the
/// pipeline's loop.
package final class Gathering<Key: Sendable, Value: Sendable> {
    /// Makes the statement for the keys; its rows may come in any order, and a key without a row has no
    /// value.
    package typealias Statement = ([Key]) -> SQL
    /// Reads a row: the place of its key among the keys, and its value.
    package typealias Decode = (inout Row, [Key]) throws(PostgresError) -> (index: Int, Value)

    @usableFromInline let pipeline: Pipeline
    @usableFromInline let most: Int
    @usableFromInline let statement: Statement
    @usableFromInline let decode: Decode
    @usableFromInline var isOnItsWay = false
    @usableFromInline var keys: [Key] = []
    @usableFromInline var waiting: [UnsafeContinuation<Value?, any Error>] = []

    /// - Parameter most: keys in one statement; more gain little and delay the first.
    @inlinable package init(
        on pipeline: Pipeline, most: Int = 32, statement: @escaping Statement, decode: @escaping Decode
    ) {
        self.pipeline = pipeline
        self.most = most
        self.statement = statement
        self.decode = decode
        pipeline.beforeSending { [weak self] in self?.send() }
    }

    /// The value of `key`, or nil if there is none.
    ///
    /// - Throws: `PostgresError`, the same for all keys of the statement.
    @inlinable package func value(for key: Key) async throws -> Value? {
        pipeline.loop.preconditionIsCurrent()
        return try await withUnsafeThrowingContinuation { continuation in
            if keys.isEmpty { pipeline.loop.execute {} }  // a pass ends after this one at the latest
            keys.append(key)
            waiting.append(continuation)
        }
    }

    /// Sends what has come, unless the statement before is still on its way: what comes meanwhile goes together, so that
    /// the busier PostgreSQL is, the less each look-up costs it.
    @inlinable func send() {
        guard !keys.isEmpty, !isOnItsWay else { return }
        let count = min(most, keys.count)
        let (keys, waiting) = (Array(keys.prefix(count)), Array(waiting.prefix(count)))
        self.keys.removeFirst(count)
        self.waiting.removeFirst(count)
        isOnItsWay = true
        pipeline.submit(statement(keys)) { [self] result in
            isOnItsWay = false
            answer(waiting, result, keys)
        }
    }

    @inlinable func answer(
        _ waiting: [UnsafeContinuation<Value?, any Error>], _ result: Result<QueryResult, PostgresError>,
        _ keys: [Key]
    ) {
        do {
            var values = [Value?](repeating: nil, count: keys.count)
            try result.get().forEach { (row) throws(PostgresError) in
                let (index, value) = try decode(&row, keys)
                values[index] = value
            }
            for (continuation, value) in zip(waiting, values) { continuation.resume(returning: value) }
        } catch {
            for continuation in waiting { continuation.resume(throwing: error) }
        }
    }
}
