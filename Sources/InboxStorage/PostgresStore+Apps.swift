package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    package func app(_ key: AppKey) async throws -> AppCredentials? {
        let rows = try await faults {
            try await pipelines.lookups.rows(
                """
                SELECT a.app_id, a.revision, a.settings_revision, a.delivery_mode, a.identity_mode, martlet_now(),
                    s.kind, s.digest, s.sealed
                FROM apps a
                LEFT JOIN app_secrets s ON s.app_id = a.app_id
                    AND (s.expires_at IS NULL OR s.expires_at > martlet_now())
                WHERE a.app_key = \(key.text)
                """, scope: nil
            ) { (row) throws(PostgresError) in try Self.credentials(&row, key) }
        }
        guard var credentials = rows.first else { return nil }
        credentials.secrets = rows.flatMap(\.secrets)
        return credentials
    }

    /// One row: the app, and at most one of its secrets.
    private static func credentials(_ row: inout Row, _ key: AppKey) throws(PostgresError) -> AppCredentials {
        let app = try row.next(AppID.self)
        let revisions = (app: try row.next(Revision.self), settings: try row.next(Revision.self))
        let modes = (delivery: try row.next(DeliveryMode.self), identity: try row.next(IdentityMode.self))
        let now = try row.next(Instant.self)
        let kind = try row.next(AppCredentials.Secret.Kind?.self)
        let digest = try row.next([UInt8]?.self)
        let sealed = try row.next([UInt8]?.self)
        var secrets: [AppCredentials.Secret] = []
        if let kind, let digest, let sealed { secrets = [.init(kind: kind, digest: digest, sealed: sealed)] }
        return AppCredentials(
            app: app, key: key, revisions: revisions, modes: modes, secrets: secrets, now: now)
    }
}
