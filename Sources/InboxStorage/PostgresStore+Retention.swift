package import Foundation
package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore: RetentionStore {
    package static var purgedAtOnce: Int { 1000 }

    package func beginRetention(as runner: UUID) async throws -> RetentionRun? {
        let walks = try await background(
            """
            UPDATE installation i
            SET retention_runner = \(runner), retention_begun = martlet_now(),
                retention_until = martlet_now() + interval '1 minute'
            FROM (SELECT 1 FROM installation FOR UPDATE SKIP LOCKED) free
            WHERE coalesce(i.retention_begun <= martlet_now() - interval '1 hour', true)
                    AND coalesce(i.retention_until <= martlet_now(), true)
                OR i.retention_runner = \(runner) AND coalesce(i.retention_ended < i.retention_begun, true)
            RETURNING coalesce(i.retention_ended::date < martlet_now()::date, true)
            """
        ).row { (row) throws(PostgresError) in try row.next(Bool.self) }
        guard let walks else { return nil }
        let apps = try await faults {
            try await pipelines.lookups.rows("SELECT app_id FROM apps ORDER BY app_id", scope: nil) {
                (row) throws(PostgresError) in try row.next(AppID.self)
            }
        }
        return RetentionRun(apps: apps, walksInboxes: walks)
    }

    package func keepRetention(as runner: UUID) async throws -> Bool {
        try await background(
            """
            UPDATE installation SET retention_until = martlet_now() + interval '1 minute'
            WHERE retention_runner = \(runner)
            """
        ).affected == 1
    }

    package func endRetention(as runner: UUID) async throws {
        _ = try await background(
            """
            UPDATE installation SET retention_until = martlet_now(), retention_ended = martlet_now()
            WHERE retention_runner = \(runner)
            """)
    }

    package func purge(_ kind: Purge, in app: AppID, _ times: RetentionTimes) async throws -> Int {
        let purge = PurgeStatement(app: app, times: times, most: Int64(Self.purgedAtOnce))
        return try await background(purge.sql(kind), for: app).affected
    }

    package func inboxes(
        of app: AppID, after last: InboxID, _ times: RetentionTimes
    ) async throws -> InboxPage {
        let purge = PurgeStatement(app: app, times: times, most: Int64(Self.purgedAtOnce))
        var page = InboxPage(last: nil, dead: [], ownerless: [])
        let rows = try await background(purge.page(after: last), for: app).rows {
            (row) throws(PostgresError) in
            (
                inbox: try row.next(InboxID.self), isDead: try row.next(Bool.self),
                isOwned: try row.next(Bool.self)
            )
        }
        for row in rows {
            page.last = row.inbox
            if row.isDead { page.dead.append(row.inbox) }
            if !row.isOwned { page.ownerless.append(row.inbox) }
        }
        return page
    }

    package func bury(_ inboxes: [InboxID], of app: AppID, _ times: RetentionTimes) async throws -> Int {
        let purge = PurgeStatement(app: app, times: times, most: Int64(Self.purgedAtOnce))
        let results = try await write(
            [purge.burial(of: inboxes)], for: app, changing: .returned, on: pipelines.sends)
        return results[0].affected
    }

    package func clear(_ inboxes: [InboxID], of app: AppID) async throws -> Int {
        let purge = PurgeStatement(app: app, times: RetentionTimes(), most: Int64(Self.purgedAtOnce))
        for statement in purge.contents(of: inboxes) {
            let affected = try await background(statement, for: app).affected
            if affected > 0 { return affected }
        }
        return 0
    }

    /// Commits one statement on the connection of the background.
    private func background(_ statement: SQL, for app: AppID? = nil) async throws -> QueryResult {
        let write = Write(scope: app.map { Self.scope($0) }, [statement])
        return try await faults { try await pipelines.sends.write(write) }[0]
    }
}
