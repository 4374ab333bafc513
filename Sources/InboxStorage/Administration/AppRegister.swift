package import InboxModel
package import InboxService
package import Postgres

/// Apps and their secrets, as an operator keeps them: over a connection that blocks, never in a server's loop.
///
/// All functions throw `PostgresError`; changes are durable on return and known to every server at once.
package struct AppRegister {
    let connection: AdminConnection

    package init(_ connection: AdminConnection) { self.connection = connection }

    /// Makes an app with its first secrets.
    ///
    /// - Throws: `InboxError.conflict` if the name is taken.
    package func create(_ app: NewApp, secrets: [NewSecret]) throws {
        do {
            try connection.transaction { connection in
                let id: Int32 = try connection.value(
                    """
                    INSERT INTO apps (app_key, name, delivery_mode, identity_mode)
                    VALUES (\(app.key.text), \(app.name), \(app.delivery), \(app.identity))
                    RETURNING app_id
                    """)
                for secret in secrets { _ = try insert(secret, into: AppID(rawValue: id)) }
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

    /// An app with all its settings.
    ///
    /// - Throws: `InboxError.notFound` if there is no such app.
    package func profile(of app: AppID) throws -> AppProfile {
        let found = try connection.rows(SettingsStatement.profile(of: app), as: AppProfile.self)
        guard let profile = found.first else { throw InboxError.notFound(what: "app") }
        return profile
    }

    /// Changes settings and returns all of them; equal ones change nothing.
    ///
    /// - Throws: `InboxError.notFound` if there is no such app.
    package func change(_ change: SettingsChange, of app: AppID) throws -> AppProfile {
        try connection.transaction { connection in
            for statement in SettingsStatement.change(change, of: app, by: "cli").dropLast() {
                try connection.execute(statement)
            }
        }
        return try profile(of: app)
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
}
