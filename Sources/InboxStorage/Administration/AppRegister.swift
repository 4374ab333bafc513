package import InboxModel
package import InboxService
package import Postgres

/// Apps and their secrets, as an operator keeps them: over a connection that blocks, never in a server's loop.
///
/// All functions throw `PostgresError`; changes are durable on return and known to every server at once.
package struct AppRegister {
    private let connection: AdminConnection

    package init(_ connection: AdminConnection) { self.connection = connection }

    /// Makes an app with its first secrets.
    ///
    /// - Throws: `InboxError.conflict` if the name is taken.
    package func create(_ app: NewApp, secrets: [AppCredentials.Secret]) throws {
        do {
            try connection.transaction { connection in
                let id: Int32 = try connection.value(
                    """
                    INSERT INTO apps (app_key, name, delivery_mode, identity_mode)
                    VALUES (\(app.key.text), \(app.name), \(app.delivery), \(app.identity))
                    RETURNING app_id
                    """)
                for secret in secrets { try insert(secret, into: AppID(rawValue: id)) }
            }
        } catch let error as PostgresError where error.kind == .constraint("apps_name_key") {
            throw InboxError.conflict(reason: "an app named \(app.name) exists already")
        }
    }

    /// All apps, by name.
    package func apps() throws -> [AppRecord] {
        try connection.rows(
            """
            SELECT app_id, app_key, name, delivery_mode, identity_mode, created_at
            FROM apps
            ORDER BY name
            """)
    }

    /// - Throws: `InboxError.notFound` if there is no such app.
    package func app(named name: String) throws -> AppRecord {
        let found = try connection.rows(
            """
            SELECT app_id, app_key, name, delivery_mode, identity_mode, created_at
            FROM apps
            WHERE name = \(name)
            """, as: AppRecord.self)
        guard let app = found.first else { throw InboxError.notFound(what: "app") }
        return app
    }

    /// What would be lost with an app.
    ///
    /// - Complexity: walks the app's rows.
    package func holdings(of app: AppID) throws -> AppHoldings {
        let found = try connection.rows(
            """
            SELECT
                (SELECT count(*) FROM channels WHERE app_id = \(app.rawValue)),
                (SELECT count(*) FROM named_users WHERE app_id = \(app.rawValue)),
                (SELECT count(*) FROM messages WHERE app_id = \(app.rawValue)),
                (SELECT count(*) FROM deliveries WHERE app_id = \(app.rawValue))
            """, as: AppHoldings.self)
        return found[0]
    }

    /// Deletes an app with all that it has.
    ///
    /// - Complexity: walks the app's rows, in one transaction.
    package func delete(_ app: AppID) throws {
        try connection.transaction { connection in
            // Whoever sends holds this row shared, so that no delivery is made behind the next statement's back.
            try connection.execute("SELECT FROM apps WHERE app_id = \(app.rawValue) FOR UPDATE")
            try connection.execute("DELETE FROM deliveries WHERE app_id = \(app.rawValue)")
            try connection.execute("DELETE FROM apps WHERE app_id = \(app.rawValue)")
        }
    }

    /// Stores a new secret; older ones of its kind end after `overlap`, or earlier if that was said before.
    package func rotate(to secret: AppCredentials.Secret, of app: AppID, overlap: Duration) throws {
        let seconds = overlap.components.seconds
        try connection.transaction { connection in
            // The app's row first: the order of locks that every writer keeps.
            try connection.execute(
                """
                UPDATE apps
                SET revision = revision + 1, settings_revision = settings_revision + 1
                WHERE app_id = \(app.rawValue)
                """)
            try connection.execute(
                """
                DELETE FROM app_secrets
                WHERE app_id = \(app.rawValue) AND expires_at <= martlet_now()
                """)
            try connection.execute(
                """
                UPDATE app_secrets
                SET expires_at = LEAST(expires_at, martlet_now() + \(seconds) * interval '1 second')
                WHERE app_id = \(app.rawValue) AND kind = \(secret.kind)
                """)
            try insert(secret, into: app)
        }
    }

    /// The secrets that are good now, without the secrets; by kind, oldest first.
    package func secrets(of app: AppID) throws -> [SecretRecord] {
        try connection.rows(
            """
            SELECT kind, digest, created_at, expires_at
            FROM app_secrets
            WHERE app_id = \(app.rawValue) AND (expires_at IS NULL OR expires_at > martlet_now())
            ORDER BY kind, secret_id
            """)
    }

    private func insert(_ secret: AppCredentials.Secret, into app: AppID) throws {
        try connection.execute(
            """
            INSERT INTO app_secrets (app_id, kind, digest, sealed)
            VALUES (\(app.rawValue), \(secret.kind), \(secret.digest), \(secret.sealed))
            """)
    }
}
