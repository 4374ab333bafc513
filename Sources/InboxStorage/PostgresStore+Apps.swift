package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    package func app(_ key: AppKey) async throws -> AppCredentials? {
        try await app(where: "a.app_key = \(key.text)")
    }

    package func app(_ app: AppID) async throws -> AppCredentials? {
        try await self.app(where: "a.app_id = \(app)")
    }

    package func backendToken(_ digest: [UInt8]) async throws -> BackendToken? {
        let rows = try await faults {
            try await pipelines.lookups.rows(
                """
                SELECT t.secret_id, t.scopes, \(Self.columns)
                FROM app_secrets t
                JOIN apps a ON a.app_id = t.app_id \(Self.secrets)
                WHERE t.digest = \(digest) AND t.kind = 4
                    AND (t.expires_at IS NULL OR t.expires_at > martlet_now())
                """, scope: nil
            ) { (row) throws(PostgresError) in
                BackendToken(
                    id: try row.next(), scopes: TokenScope.scopes(try row.next()), app: try Self.app(&row))
            }
        }
        guard var token = rows.first else { return nil }
        token.app.secrets = rows.flatMap(\.app.secrets)
        return token
    }

    private func app(where condition: SQL) async throws -> AppCredentials? {
        let rows = try await faults {
            try await pipelines.lookups.rows(
                "SELECT \(Self.columns) FROM apps a \(Self.secrets) WHERE \(condition)", scope: nil
            ) { (row) throws(PostgresError) in try Self.app(&row) }
        }
        guard var app = rows.first else { return nil }
        app.secrets = rows.flatMap(\.secrets)
        return app
    }

    /// Of `apps a` and one of its secrets `s`.
    private static let columns: SQL =
        """
        a.app_id, a.app_key, a.revision, a.settings_revision, a.delivery_mode, a.identity_mode, martlet_now(),
        s.secret_id, s.kind, s.digest, s.sealed
        """

    /// The secrets of an app that are valid now; tokens are found by themselves.
    private static let secrets: SQL =
        """
        LEFT JOIN app_secrets s ON s.app_id = a.app_id AND s.kind <> 4
            AND (s.expires_at IS NULL OR s.expires_at > martlet_now())
        """

    /// One row: the app, and at most one of its secrets.
    private static func app(_ row: inout Row) throws(PostgresError) -> AppCredentials {
        let app = try row.next(AppID.self)
        let key = try row.next(AppKey.self)
        let revisions = (app: try row.next(Revision.self), settings: try row.next(Revision.self))
        let modes = (delivery: try row.next(DeliveryMode.self), identity: try row.next(IdentityMode.self))
        let now = try row.next(Instant.self)
        return AppCredentials(
            app: app, key: key, revisions: revisions, modes: modes, secrets: try secret(&row), now: now)
    }

    /// None or one.
    private static func secret(_ row: inout Row) throws(PostgresError) -> [AppCredentials.Secret] {
        let id = try row.next(SecretID?.self)
        let kind = try row.next(AppCredentials.Secret.Kind?.self)
        let digest = try row.next([UInt8]?.self)
        let sealed = try row.next([UInt8]?.self)
        guard let id, let kind, let digest, let sealed else { return [] }
        return [AppCredentials.Secret(id: id, kind: kind, digest: digest, sealed: sealed)]
    }
}
