extension Pipeline {
    /// Sends a statement with the others of this pass and calls `handler` on the loop; needs no task.
    ///
    /// The handler may be called at once, if the statement is refused.
    package func submit(
        _ sql: SQL, scope: Scope? = nil, _ handler: @escaping (Result<QueryResult, PostgresError>) -> Void
    ) {
        add(Write(scope: scope, [sql])) { result in handler(result.map { $0[0] }) }
    }

    /// Sends a write with the others of this pass and calls `handler` on the loop once it is committed.
    package func submit(
        _ write: Write, _ handler: @escaping (Result<[QueryResult], PostgresError>) -> Void
    ) {
        precondition(!isReadOnly, "a write goes to a pipeline that was made for writes")
        add(write, handler)
    }

    /// Runs `statements` in order inside the turn's implicit transaction, and returns their results when it
    /// is committed.
    ///
    /// - Throws: `PostgresError`; nothing was done, except for kind `.outcomeUnknown`: then it may have been.
    package func write(_ write: Write) async throws -> [QueryResult] {
        try await withCheckedThrowingContinuation { continuation in
            submit(write) { continuation.resume(with: $0) }
        }
    }

    /// Runs one statement.
    package func result(of sql: SQL, scope: Scope? = nil) async throws -> QueryResult {
        try await withCheckedThrowingContinuation { continuation in
            submit(sql, scope: scope) { continuation.resume(with: $0) }
        }
    }

    /// Runs one statement and reads its rows.
    package func rows<R: RowDecodable>(
        _ sql: SQL, scope: Scope? = nil, as type: R.Type = R.self
    ) async throws -> [R] {
        try await result(of: sql, scope: scope).rows(type)
    }

    /// Runs one statement and reads its rows by `body`.
    package func rows<R>(
        _ sql: SQL, scope: Scope? = nil, _ body: (inout Row) throws(PostgresError) -> R
    ) async throws -> [R] {
        try await result(of: sql, scope: scope).rows(body)
    }

    /// Runs one statement that gives one row or none.
    package func row<R: RowDecodable>(
        _ sql: SQL, scope: Scope? = nil, as type: R.Type = R.self
    ) async throws -> R? {
        try await result(of: sql, scope: scope).row(type)
    }

    /// Runs one statement that gives one row or none, and reads it by `body`.
    package func row<R>(
        _ sql: SQL, scope: Scope? = nil, _ body: (inout Row) throws(PostgresError) -> R
    ) async throws -> R? {
        try await result(of: sql, scope: scope).row(body)
    }
}
