package import InboxModel
package import InboxService
import Postgres

extension AppRegister {
    /// Keys and tokens that an app may have at once, besides app and master secrets.
    package static let keysPerApp = 100

    /// Stores a new app or master secret; older ones of its kind end after `overlap`, or earlier if that was said before.
    package func rotate(to secret: NewSecret, of app: AppID, overlap: Duration) throws {
        let seconds = overlap.components.seconds
        try connection.transaction { connection in
            // The app's row first: the order of locks that every writer keeps.
            try connection.execute(
                """
                UPDATE apps
                SET revision = revision + 1, settings_revision = settings_revision + 1
                WHERE app_id = \(app.rawValue)
                """)
            try dropEnded(of: app)
            try connection.execute(
                """
                UPDATE app_secrets
                SET expires_at = LEAST(expires_at, martlet_now() + \(seconds) * interval '1 second')
                WHERE app_id = \(app.rawValue) AND kind = \(secret.kind)
                """)
            let id = try insert(secret, into: app)
            try audit("key.rotate", id, secret.kind, of: app)
        }
    }

    /// Stores a key or token beside those that the app has.
    ///
    /// No revision is raised, as for a rotation: what devices see and hold does not depend on it.
    /// - Throws: `InboxError.conflict` if the app has as many as it may.
    package func add(_ secret: NewSecret, to app: AppID) throws -> SecretID {
        try connection.transaction { connection in
            // Held, so that two that add count each other.
            try connection.execute(
                "SELECT FROM apps WHERE app_id = \(app.rawValue) FOR NO KEY UPDATE")
            try dropEnded(of: app)
            let held: Int64 = try connection.value(
                "SELECT count(*) FROM app_secrets WHERE app_id = \(app.rawValue) AND kind > 1")
            guard held < AppRegister.keysPerApp else {
                throw InboxError.conflict(
                    reason: "an app has at most \(AppRegister.keysPerApp) keys and tokens")
            }
            let id = try insert(secret, into: app)
            try audit("key.create", id, secret.kind, of: app)
            return id
        }
    }

    /// Ends a secret at once, on every server.
    ///
    /// - Throws: `InboxError.notFound` if the app has none of this id, and `InboxError.conflict` for the last app or master
    ///   secret, which can only be rotated.
    package func revoke(_ id: SecretID, of app: AppID) throws -> SecretRecord {
        try connection.transaction { connection in
            // Held, so that of two last secrets one stays.
            try connection.execute(
                "SELECT FROM apps WHERE app_id = \(app.rawValue) FOR NO KEY UPDATE")
            let valid = try secrets(of: app)
            guard let secret = valid.first(where: { $0.id == id }) else {
                throw InboxError.notFound(what: "key")
            }
            let isNeeded = secret.kind == .app || secret.kind == .master
            guard
                !isNeeded
                    || valid.contains(where: { $0.kind == secret.kind && $0.id != id && $0.expires == nil })
            else {
                throw InboxError.conflict(reason: "the app has no other \(secret.kind.word) secret")
            }
            try connection.execute(
                "DELETE FROM app_secrets WHERE app_id = \(app.rawValue) AND secret_id = \(id)")
            try audit("key.revoke", id, secret.kind, of: app)
            return secret
        }
    }

    /// The secrets that are good now, without the secrets; by kind, oldest first.
    package func secrets(of app: AppID) throws -> [SecretRecord] {
        try connection.rows(
            """
            SELECT secret_id, kind, digest, scopes, name, created_at, expires_at
            FROM app_secrets
            WHERE app_id = \(app.rawValue) AND (expires_at IS NULL OR expires_at > martlet_now())
            ORDER BY kind, secret_id
            """)
    }

    func insert(_ secret: NewSecret, into app: AppID) throws -> SecretID {
        try connection.value(
            """
            INSERT INTO app_secrets (app_id, kind, digest, sealed, scopes, name, expires_at)
            VALUES (\(app.rawValue), \(secret.kind), \(secret.digest), \(secret.sealed),
                \(TokenScope.sum(secret.scopes)), \(secret.name),
                martlet_now() + \(secret.life?.components.seconds) * interval '1 second')
            RETURNING secret_id
            """)
    }

    private func dropEnded(of app: AppID) throws {
        try connection.execute(
            "DELETE FROM app_secrets WHERE app_id = \(app.rawValue) AND expires_at <= martlet_now()")
    }

    private func audit(
        _ action: String, _ id: SecretID, _ kind: AppCredentials.Secret.Kind, of app: AppID
    ) throws {
        try connection.execute(
            """
            INSERT INTO audit (app_id, actor, action, subject, detail)
            VALUES (\(app.rawValue), 'cli', \(action), \(id.text), jsonb_build_object('kind', \(kind.word)))
            """)
    }
}
