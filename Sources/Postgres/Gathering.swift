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

    private let pipeline: Pipeline
    private let most: Int
    private let statement: Statement
    private let decode: Decode
    private var keys: [Key] = []
    private var waiting: [UnsafeContinuation<Value?, any Error>] = []

    /// - Parameter most: keys in one statement; more gain nothing and delay the first.
    package init(
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
    package func value(for key: Key) async throws -> Value? {
        pipeline.loop.preconditionIsCurrent()
        return try await withUnsafeThrowingContinuation { continuation in
            if keys.isEmpty { pipeline.loop.execute {} }  // a pass ends after this one at the latest
            keys.append(key)
            waiting.append(continuation)
        }
    }

    private func send() {
        while !keys.isEmpty {
            let count = min(most, keys.count)
            let (keys, waiting) = (Array(keys.prefix(count)), Array(waiting.prefix(count)))
            self.keys.removeFirst(count)
            self.waiting.removeFirst(count)
            pipeline.submit(statement(keys)) { [decode] result in
                Self.answer(waiting, result, keys, decode)
            }
        }
    }

    private static func answer(
        _ waiting: [UnsafeContinuation<Value?, any Error>], _ result: Result<QueryResult, PostgresError>,
        _ keys: [Key], _ decode: Decode
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
