/// Brings a database's schema to the program's: forward only, one transaction for each file.
package enum Migrator {
    /// How far a database is.
    package struct Status: Hashable, Sendable {
        /// Numbers that were applied, ascending.
        package let applied: [Int32]
        /// Numbers that `migrate` would apply, ascending.
        package let pending: [Int32]
    }

    /// Applies what is pending and returns the numbers.
    ///
    /// Two processes at once: the second waits for the first, then finds nothing to do.
    /// - Throws: `MigrationError`, `PostgresError`. Files before the failed one stay applied.
    @discardableResult
    package static func migrate(
        _ connection: AdminConnection, _ migrations: [Migration]
    ) throws -> [Int32] {
        // Waiting for another process and walking big tables may take longer than a request's statement.
        try connection.execute("SELECT pg_catalog.set_config('statement_timeout', '0', false)")
        try connection.execute("SELECT pg_catalog.pg_advisory_lock(\(lockKey))")
        defer {
            // Fails only if the connection is gone, and the lock with it.
            _ = try? connection.execute("SELECT pg_catalog.pg_advisory_unlock(\(lockKey))")
        }
        try createTable(connection)
        let status = try check(connection, migrations)
        for migration in migrations.sorted(by: { $0.number < $1.number })
        where status.pending.contains(migration.number) {
            try apply(migration, connection)
        }
        return status.pending
    }

    /// What was applied and what is pending; changes nothing.
    ///
    /// - Throws: `MigrationError` where `migrate` would refuse, `PostgresError`.
    package static func status(
        _ connection: AdminConnection, _ migrations: [Migration]
    ) throws -> Status {
        try check(connection, migrations)
    }

    /// Any number that no other program takes for its advisory locks: "martlet" in ASCII.
    private static let lockKey: Int64 = 0x6D_6172_746C_6574

    private static func createTable(_ connection: AdminConnection) throws {
        // `IF NOT EXISTS` alone would need the right to create even where the table is.
        guard try !hasTable(connection) else { return }
        try connection.script(
            """
            CREATE TABLE schema_migrations (
                number integer PRIMARY KEY,
                name text NOT NULL,
                checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            )
            """)
    }

    private static func hasTable(_ connection: AdminConnection) throws -> Bool {
        try connection.value("SELECT pg_catalog.to_regclass('schema_migrations') IS NOT NULL")
    }

    private static func check(
        _ connection: AdminConnection, _ migrations: [Migration]
    ) throws -> Status {
        let migrations = migrations.sorted { $0.number < $1.number }
        for (expected, migration) in zip(Int32(1)..., migrations) where migration.number != expected {
            throw MigrationError.gap(expected: expected, found: migration.number)
        }
        guard try hasTable(connection) else {
            return Status(applied: [], pending: migrations.map(\.number))
        }
        let applied = try connection.rows(
            "SELECT number, checksum FROM schema_migrations ORDER BY number"
        ) { (row) throws(PostgresError) in
            (number: try row.next(Int32.self), checksum: try row.next(String.self))
        }
        if let last = applied.last?.number, last > migrations.count {
            throw MigrationError.newer(database: last, program: Int32(migrations.count))
        }
        for (number, checksum) in applied {
            let migration = migrations[Int(number) - 1]
            let current: String = try connection.value(
                "SELECT encode(sha256(\(migration.sql)), 'hex')")
            guard current == checksum else {
                throw MigrationError.changed(number: number, name: migration.name)
            }
        }
        let numbers = Set(applied.map(\.number))
        return Status(
            applied: applied.map(\.number),
            pending: migrations.map(\.number).filter { !numbers.contains($0) })
    }

    private static func apply(_ migration: Migration, _ connection: AdminConnection) throws {
        do {
            try connection.transaction { connection in
                try connection.script(String(decoding: migration.sql, as: UTF8.self))
                try connection.execute(
                    """
                    INSERT INTO schema_migrations (number, name, checksum)
                    VALUES (\(migration.number), \(migration.name), encode(sha256(\(migration.sql)), 'hex'))
                    """)
            }
        } catch let error as PostgresError {
            throw MigrationError.failed(number: migration.number, name: migration.name, error)
        }
    }
}
