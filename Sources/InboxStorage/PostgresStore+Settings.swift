package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    package func profile(of app: AppID) async throws -> AppProfile {
        let profile = try await faults {
            try await pipelines.reads.row(SettingsStatement.profile(of: app), scope: Self.scope(app)) {
                (row) throws(PostgresError) in try AppProfile(row: &row)
            }
        }
        guard let profile else { throw InboxError.notFound(what: "app") }
        return profile
    }

    package func change(
        _ change: SettingsChange, of app: AppID, by actor: String
    ) async throws -> AppProfile {
        let statements = SettingsStatement.change(change, of: app, by: actor)
        let results = try await write(statements, for: app, changing: .all)
        guard let profile = try results.last?.row(AppProfile.self) else {
            throw InboxError.notFound(what: "app")
        }
        return profile
    }

    /// - Complexity: a look-up by the origin.
    package func allows(_ origin: Origin, by claim: AppClaim?) async throws -> Bool {
        let allowed = try await faults {
            try await pipelines.lookups.row(
                """
                SELECT EXISTS (
                    SELECT FROM apps a
                    WHERE a.cors_origins @> ARRAY[\(origin.text)] AND a.cors_origins <> '{}' AND (\(Self.fits(claim))))
                """, scope: nil
            ) { (row) throws(PostgresError) in try row.next(Bool.self) }
        }
        return allowed ?? false
    }

    private static func fits(_ claim: AppClaim?) -> SQL {
        switch claim {
        case nil: "true"
        case .id(let app): "a.app_id = \(app)"
        case .key(let key): "a.app_key = \(key.text)"
        case .token(let digest):
            """
            EXISTS (
                SELECT FROM app_secrets t
                WHERE t.digest = \(digest) AND t.kind = 4 AND t.app_id = a.app_id
                    AND (t.expires_at IS NULL OR t.expires_at > martlet_now()))
            """
        }
    }

    /// - Complexity: a range scan of the primary key.
    package func audit(of app: AppID, before: Int64?, limit: Int) async throws -> [AuditEntry] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT entry_id, at, actor, action, subject, detail::text
                FROM audit
                WHERE app_id = \(app) AND entry_id < \(before ?? .max)
                ORDER BY entry_id DESC
                LIMIT \(Int64(limit))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in try AuditEntry(row: &row) }
        }
    }
}
