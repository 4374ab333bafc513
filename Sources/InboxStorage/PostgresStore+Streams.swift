package import InboxModel
package import InboxService
import Postgres

extension PostgresStore {
    package func credentials(of users: [UserID]) async throws -> [Credential?] {
        guard !users.isEmpty else { return [] }
        let found = try await faults {
            try await pipelines.lookups.rows(CredentialLookup.statement(users)) {
                (row) throws(PostgresError) in
                try CredentialLookup.decode(&row, users)
            }
        }
        var credentials = [Credential?](repeating: nil, count: users.count)
        for (index, credential) in found { credentials[index] = credential }
        return credentials
    }

    package func changed(_ inboxes: [KnownInbox]) async throws -> [Int] {
        guard !inboxes.isEmpty else { return [] }
        return try await faults {
            try await pipelines.lookups.rows(
                """
                SELECT k.i
                FROM unnest(\(inboxes.map(\.key.app.rawValue)), \(inboxes.map(\.key.inbox.rawValue)),
                    \(inboxes.map(\.revision.rawValue))) WITH ORDINALITY k (app_id, inbox_id, revision, i)
                LEFT JOIN inboxes i ON i.app_id = k.app_id AND i.inbox_id = k.inbox_id
                WHERE i.revision IS DISTINCT FROM k.revision
                """
            ) { (row) throws(PostgresError) in Int(try row.next(Int64.self)) - 1 }
        }
    }

    package func changed(_ apps: [KnownApp]) async throws -> [AppID] {
        guard !apps.isEmpty else { return [] }
        return try await faults {
            try await pipelines.lookups.rows(
                """
                SELECT a.app_id
                FROM unnest(\(apps.map(\.app.rawValue)), \(apps.map(\.revision.rawValue)),
                    \(apps.map(\.settingsRevision.rawValue))) k (app_id, revision, settings_revision)
                JOIN apps a ON a.app_id = k.app_id
                WHERE a.revision <> k.revision OR a.settings_revision <> k.settings_revision
                """
            ) { (row) throws(PostgresError) in try row.next(AppID.self) }
        }
    }

    package func pace(of app: AppID) async throws -> AppPace? {
        try await faults {
            try await pipelines.reads.row(
                """
                SELECT revision, settings_revision, broadcast_spread_seconds
                FROM apps
                WHERE app_id = \(app)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                let known = KnownApp(app, at: try row.next(), settings: try row.next())
                return AppPace(known, spreadSeconds: Int(try row.next(Int32.self)))
            }
        }
    }

    package func exists(_ inbox: InboxID, in app: AppID) async throws -> Bool {
        try await faults {
            try await pipelines.lookups.row(
                "SELECT 1::bigint FROM inboxes WHERE app_id = \(app) AND inbox_id = \(inbox)"
            ) { (row) throws(PostgresError) in try row.next(Int64.self) }
        } != nil
    }
}
