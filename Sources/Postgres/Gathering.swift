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

    /// How much goes together.
    package struct Bounds: Sendable {
        /// Keys in one statement; more gain little and delay the first.
        @usableFromInline let most: Int
        /// Statements on their way at once.
        ///
        /// What comes meanwhile goes together, so that the busier PostgreSQL is, the less each look-up costs it.
        @usableFromInline let atOnce: Int

        package init(most: Int, atOnce: Int) {
            self.most = most
            self.atOnce = atOnce
        }
    }

    @usableFromInline let pipeline: Pipeline
    @usableFromInline let bounds: Bounds
    @usableFromInline let scope: (Key) -> Scope?
    @usableFromInline let isTogether: (Key, Key) -> Bool
    @usableFromInline let statement: Statement
    @usableFromInline let decode: Decode
    @usableFromInline var onTheirWay = 0
    @usableFromInline var keys: [Key] = []
    @usableFromInline var waiting: [UnsafeContinuation<Value?, any Error>] = []

    /// Look-ups that need no scope.
    @inlinable package convenience init(
        on pipeline: Pipeline, _ bounds: Bounds, statement: @escaping Statement, decode: @escaping Decode
    ) {
        self.init(
            on: pipeline, bounds, scopes: ({ _ in nil }, { _, _ in true }), statement: statement,
            decode: decode)
    }

    /// - Parameter scopes: the scope of a key, and whether two keys have the same.
    @inlinable package init(
        on pipeline: Pipeline, _ bounds: Bounds, scopes: (of: (Key) -> Scope?, areSame: (Key, Key) -> Bool),
        statement: @escaping Statement, decode: @escaping Decode
    ) {
        self.pipeline = pipeline
        self.bounds = bounds
        scope = scopes.of
        isTogether = scopes.areSame
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

    @inlinable func send() {
        while onTheirWay < bounds.atOnce, let first = keys.first {
            var (sent, rest) = (0, 0)
            var (keys, waiting): ([Key], [UnsafeContinuation<Value?, any Error>]) = ([], [])
            while sent + rest < self.keys.count {
                let place = sent + rest
                if sent < bounds.most, isTogether(first, self.keys[place]) {
                    keys.append(self.keys[place])
                    waiting.append(self.waiting[place])
                    sent += 1
                } else {
                    self.keys[rest] = self.keys[place]
                    self.waiting[rest] = self.waiting[place]
                    rest += 1
                }
            }
            self.keys.removeLast(sent)
            self.waiting.removeLast(sent)
            submit(keys, waiting)
        }
    }

    @inlinable func submit(_ keys: [Key], _ waiting: [UnsafeContinuation<Value?, any Error>]) {
        onTheirWay += 1
        pipeline.submit(statement(keys), scope: scope(keys[0])) { [self] result in
            onTheirWay -= 1
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
