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

    /// Keeps a sealed text as the installation's, unless there is one.
    package func propose(keyCheck: [UInt8]) throws(PostgresError) {
        try connection.execute("UPDATE installation SET key_check = \(keyCheck) WHERE key_check IS NULL")
    }
}
