package import Postgres

/// What an operator should know of a database before it serves.
package struct DatabaseHealth: Sendable {
    /// As PostgreSQL numbers itself: 150004 is 15.4.
    package let versionNumber: Int32
    package let versionText: String
    package let encoding: String
    /// A commit that was answered survives a crash: `fsync` and `synchronous_commit` are on.
    package let isDurable: Bool
    package let hasAutovacuum: Bool
    /// Connections that ordinary users may open, and those of all users that are open.
    package let connections: (allowed: Int64, open: Int64)
    package let bytes: Int64

    /// The oldest PostgreSQL that the statements work on, as it numbers itself.
    package static let oldestVersionNumber: Int32 = 140_000

    /// - Throws: `PostgresError`.
    package init(_ connection: AdminConnection) throws(PostgresError) {
        let found: [DatabaseHealth] = try connection.rows(
            """
            SELECT
                current_setting('server_version_num')::integer,
                current_setting('server_version'),
                current_setting('server_encoding'),
                current_setting('fsync')::boolean AND current_setting('synchronous_commit') <> 'off',
                current_setting('autovacuum')::boolean AND current_setting('track_counts')::boolean,
                current_setting('max_connections')::bigint
                    - current_setting('superuser_reserved_connections')::bigint,
                (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
                pg_database_size(current_database())
            """)
        self = found[0]
    }
}

extension DatabaseHealth: RowDecodable {
    package init(row: inout Row) throws(PostgresError) {
        versionNumber = try row.next()
        versionText = try row.next()
        encoding = try row.next()
        isDurable = try row.next()
        hasAutovacuum = try row.next()
        connections = (try row.next(), try row.next())
        bytes = try row.next()
    }
}

/// A table that updates have left much behind in.
package struct StaleTable: Sendable {
    package let name: String
    package let deadRows: Int64
    package let liveRows: Int64

    /// Tables in which more than a third of many rows are dead; lists there fall back to the heap.
    ///
    /// - Throws: `PostgresError`.
    package static func all(_ connection: AdminConnection) throws(PostgresError) -> [StaleTable] {
        try connection.rows(
            """
            SELECT relname::text, n_dead_tup, n_live_tup
            FROM pg_stat_user_tables
            WHERE n_dead_tup > 10000 AND n_dead_tup > n_live_tup / 2
            ORDER BY relname
            """)
    }
}

extension StaleTable: RowDecodable {
    package init(row: inout Row) throws(PostgresError) {
        name = try row.next()
        deadRows = try row.next()
        liveRows = try row.next()
    }
}
