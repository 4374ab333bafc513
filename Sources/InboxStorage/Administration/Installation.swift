package import Platform
package import Postgres

/// What the database knows of the installation as a whole.
package struct Installation {
    private let connection: AdminConnection

    package init(_ connection: AdminConnection) { self.connection = connection }

    /// The text that was sealed under the installation's key; nothing before the first key.
    package func keyCheck() throws(PostgresError) -> [UInt8]? {
        try connection.value("SELECT key_check FROM installation")
    }

    /// When what nobody can see any more was last purged to the end; nothing before the first time.
    package func retentionEnded() throws(PostgresError) -> Instant? {
        try connection.value("SELECT retention_ended FROM installation")
    }

    /// Makes every cursor and validator that was given out worthless: clients get whole views.
    ///
    /// For a database that was filled from a dump of the data alone, so that its revisions stand for other changes.
    /// Ends the servers' connections, which ask for the epoch when they come back; returns how many.
    package func beginEpoch() throws(PostgresError) -> Int64 {
        try connection.execute("UPDATE installation SET epoch_salt = gen_random_uuid()")
        return try connection.value(
            """
            SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))
            FROM pg_stat_activity
            WHERE datname = current_database() AND application_name IN ('martlet', current_setting('application_name'))
                AND pid <> pg_backend_pid()
            """)
    }

    /// Keeps a sealed text as the installation's, unless there is one.
    package func propose(keyCheck: [UInt8]) throws(PostgresError) {
        try connection.execute("UPDATE installation SET key_check = \(keyCheck) WHERE key_check IS NULL")
    }
}
