import Postgres

/// A transaction that stays open, so that others find locked what it has touched.
///
/// Its connection is touched on the databases' thread alone.
package final class OpenTransaction: @unchecked Sendable {
    private let connection: AdminConnection

    private init(_ connection: AdminConnection) { self.connection = connection }

    /// Begins one, and runs `script` in it.
    ///
    /// It has no limit of time: it waits for the test, on however slow a machine.
    package static func begin(_ script: String, at url: String) async throws -> OpenTransaction {
        try await onDatabaseThread {
            let connection = try AdminConnection(url)
            try connection.script("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; \(script)")
            return OpenTransaction(connection)
        }
    }

    package func commit() async throws {
        try await onDatabaseThread { [self] in try connection.script("COMMIT") }
    }

    package func rollBack() async throws {
        try await onDatabaseThread { [self] in try connection.script("ROLLBACK") }
    }
}
