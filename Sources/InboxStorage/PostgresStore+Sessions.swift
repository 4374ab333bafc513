package import InboxModel
package import InboxService
package import Platform
import Postgres

extension PostgresStore {
    package func openSession(_ session: NewSession, by actor: String) async throws -> Instant {
        let (user, app) = (session.user, session.user.app)
        let line = AuditLine(actor: actor, action: "session.open", subject: user.text)
        let results = try await write(
            [
                make(session.person, in: app, if: "true"), line.statement(in: app),
                """
                INSERT INTO inbox_users (app_id, user_key, inbox_id, password_digest, expires_at)
                SELECT \(app), \(user.key), inbox_id, \(session.secretDigest),
                    date_trunc('milliseconds', martlet_now()) + \(session.lifeSeconds) * interval '1 second'
                FROM named_users
                WHERE app_id = \(app) AND named_user = \(session.person)
                RETURNING expires_at
                """,
            ], for: app, changing: .none)
        let expires = try await faults {
            try results[2].row { (row) throws(PostgresError) in try row.next(Instant.self) }
        }
        // Gone in between, by an erasure.
        guard let expires else { throw StoreFault.unavailable("the person is being erased") }
        return expires
    }

    package func endSession(_ user: UserID, by actor: String) async throws -> Bool {
        let app = user.app
        let line = AuditLine(actor: actor, action: "session.end", subject: user.text)
        let session: SQL =
            "app_id = \(app) AND user_key = \(user.key) AND expires_at > martlet_now()"
        let results = try await write(
            [
                line.statement(in: app, ifAny: "SELECT FROM inbox_users WHERE \(session)"),
                "DELETE FROM inbox_users WHERE \(session) RETURNING inbox_id AS changed_inbox",
            ], for: app, changing: .returned)
        return results[1].affected == 1
    }
}
