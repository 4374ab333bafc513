package import Postgres

/// What the database knows of the installation as a whole.
package struct Installation {
    private let connection: AdminConnection

    package init(_ connection: AdminConnection) { self.connection = connection }

    /// The text that was sealed under the key of the first program; `proposal` if there was none.
    ///
    /// Of two that come first at once, one proposal counts for both.
    package func keyCheck(proposing proposal: [UInt8]) throws(PostgresError) -> [UInt8] {
        try connection.execute("UPDATE installation SET key_check = \(proposal) WHERE key_check IS NULL")
        return try connection.value("SELECT key_check FROM installation")
    }
}
