package import Postgres

/// Whether the user of a connection may do what a server does, and what an administrator has to run if not.
package struct ServingRights: Sendable {
    /// Statements that give what is missing; empty when all is right.
    package let missing: [String]

    /// - Throws: `PostgresError`.
    package init(_ connection: AdminConnection) throws(PostgresError) {
        let user: String = try connection.value("SELECT quote_ident(current_user)")
        var missing: [String] = []
        for role in ServingRights.roles {
            let isMember: Bool? = try connection.value(
                """
                SELECT (SELECT pg_has_role(current_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = \(role))
                """)
            if isMember == nil { missing.append("CREATE ROLE \(role) NOLOGIN;") }
            if isMember != true { missing.append("GRANT \(role) TO \(user);") }
        }
        self.missing = missing
    }

    /// The roles that serving connections take: to find out who calls, and to work for one app.
    package static let roles = ["martlet_lookup", "martlet_app"]
}
