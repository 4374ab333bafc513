import CPostgres

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A plain connection that blocks its thread: for the command line, migrations and tests, never for a loop.
package final class AdminConnection {
    private let connection: OpaquePointer
    private var isInTransaction = false

    /// Connects, takes the configuration's role and settings, and returns when the connection works.
    ///
    /// A server that is starting up is asked again until the configuration's connect time-out is over.
    /// - Throws: kinds `.unavailable` and `.refused`.
    package init(_ configuration: ConnectionConfiguration) throws(PostgresError) {
        connection = try Self.connect(configuration)
        do throws(PostgresError) {
            try execute(configuration.settings)
        } catch {
            throw error.settingUp(configuration)
        }
    }

    /// Connects to a URL or conninfo text with default settings.
    package convenience init(_ url: String) throws(PostgresError) {
        try self.init(ConnectionConfiguration(url))
    }

    deinit {
        PQfinish(connection)
    }

    /// Runs one statement.
    @discardableResult
    package func execute(_ sql: SQL) throws(PostgresError) -> QueryResult {
        let text = sql.text
        return try take(
            sql.withParameters { pointers in
                PQexecParams(
                    connection, text, pointers.count, pointers.types, pointers.values, pointers.lengths,
                    pointers.formats, 1)
            })
    }

    /// Runs one statement and reads its rows.
    package func rows<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> [R] {
        try execute(sql).rows(type)
    }

    /// Runs one statement and reads its rows by `body`.
    package func rows<R>(
        _ sql: SQL, _ body: (inout Row) throws(PostgresError) -> R
    ) throws(PostgresError) -> [R] {
        try execute(sql).rows(body)
    }

    /// Runs one statement and reads the first column of its only row.
    package func value<Value: PostgresValue>(
        _ sql: SQL, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        try execute(sql).value(type)
    }

    /// Runs a text of several statements, such as a migration's file; it is never made from input.
    ///
    /// Outside of `transaction` they are one implicit transaction, unless the text says otherwise.
    package func script(_ text: String) throws(PostgresError) {
        _ = try take(PQexec(connection, text))
    }

    /// Runs `body` in a transaction that commits when it returns and rolls back when it throws.
    @discardableResult
    package func transaction<Success, Failure: Error>(
        _ body: (AdminConnection) throws(Failure) -> Success
    ) throws -> Success {
        precondition(!isInTransaction, "transactions do not nest")
        try execute("BEGIN")
        isInTransaction = true
        defer { isInTransaction = false }
        let success: Success
        do {
            success = try body(self)
        } catch {
            // Fails only if the connection is gone, and then nothing was committed either.
            _ = try? execute("ROLLBACK")
            throw error
        }
        try execute("COMMIT")
        return success
    }

    private func take(_ result: OpaquePointer?) throws(PostgresError) -> QueryResult {
        guard let result else {
            throw PostgresError(.unavailable, Self.reason(of: connection))
        }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return QueryResult(result)
        default:
            defer { PQclear(result) }
            throw PostgresError(result: result)
        }
    }

    private static func connect(_ configuration: ConnectionConfiguration) throws(PostgresError)
        -> OpaquePointer
    {
        let tries = 50
        let pause: UInt32 = 100_000  // microseconds; 5 s in all, about what a small crash recovery takes
        for attempt in 1...tries {
            let connection = withKeywords(configuration.keywords()) { PQconnectdbParams($0, $1, 0) }
            guard let connection else { throw PostgresError(.unavailable, "out of memory") }
            if PQstatus(connection) == CONNECTION_OK {
                martlet_ignore_notices(connection)
                return connection
            }
            let reason = reason(of: connection)
            PQfinish(connection)
            guard attempt < tries, reason.contains("the database system is") else {
                throw PostgresError(connectReason: reason)
            }
            usleep(pause)
        }
        throw PostgresError(.unavailable, "the database system is starting up")
    }

    private static func reason(of connection: OpaquePointer) -> String {
        PostgresError.oneLine(PQerrorMessage(connection))
    }
}
