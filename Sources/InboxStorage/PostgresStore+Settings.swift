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
