package import Postgres

/// Whether the user of a connection may do what a server does, and what an administrator has to run if not.
package struct ServingRights: Sendable {
    /// Statements that give what is missing; empty when all is right.
    package let missing: [String]
    /// Whether the user may make the roles by itself, as the migrations then do.
    package let canMakeRoles: Bool

    /// Works before the first migration too, which can make the roles only for a user who may.
    ///
    /// - Throws: `PostgresError`.
    package init(_ connection: AdminConnection) throws(PostgresError) {
        let user: String = try connection.value("SELECT quote_ident(current_user)")
        // Since 16, who makes a role is its member without being allowed to SET ROLE.
        let needed: String = try connection.value(
            """
            SELECT CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END
            """)
        var missing: [String] = []
        for role in ServingRights.roles {
            let isMember: Bool? = try connection.value(
                """
                SELECT (SELECT pg_has_role(current_user, oid, \(needed)) FROM pg_roles WHERE rolname = \(role))
                """)
            if isMember == nil { missing.append("CREATE ROLE \(role) NOLOGIN;") }
            if isMember != true { missing.append("GRANT \(role) TO \(user);") }
        }
        canMakeRoles = try connection.value(
            "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
        self.missing = missing + (try ServingRights.missingPolicies(connection, user))
    }

    /// Row-level security hides the rows of apps from everyone but the user who migrated.
    private static func missingPolicies(
        _ connection: AdminConnection, _ user: String
    ) throws(PostgresError) -> [String] {
        try connection.rows(
            """
            SELECT format('CREATE POLICY %I ON %s TO %I USING (true);', 'owner_' || current_user, t.oid::regclass,
                current_user)
            FROM pg_class t
            WHERE t.relrowsecurity AND t.relnamespace = current_schema()::regnamespace
                AND NOT (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)
                AND NOT EXISTS (
                    SELECT FROM pg_policy p, unnest(p.polroles) role
                    WHERE p.polrelid = t.oid AND p.polname LIKE 'owner%' AND pg_has_role(role, 'USAGE'))
            ORDER BY t.relname
            """
        ) { (row) throws(PostgresError) in try row.next() }
    }

    /// The roles that serving connections take: to find out who calls, and to work for one app.
    package static let roles = ["martlet_lookup", "martlet_app"]
}
