import InboxModel
import Postgres

/// How a message gets into inboxes.
enum Deliveries {
    /// The beginning of a statement, `WITH … placed AS (…)`: raises the inboxes whose person is still who the audience
    /// saw, then places the message in them; `placed` has their ids.
    ///
    /// - Parameters:
    ///   - target: a query of `inbox_id` and `person_id`.
    ///   - onConflict: what happens where the message is already.
    static func place(
        _ message: MessageID, in target: SQL, of app: AppID, onConflict: SQL = ""
    ) -> SQL {
        """
        WITH target AS MATERIALIZED (\(target)), raised AS (
            UPDATE inboxes i SET revision = i.revision + 1
            FROM target t
            WHERE i.app_id = \(app) AND i.inbox_id = t.inbox_id AND i.person_id IS NOT DISTINCT FROM t.person_id
            RETURNING i.inbox_id, i.revision, i.floor_ms, i.floor_id
        ), placed AS (
            INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types,
                deleted)
            SELECT m.app_id, m.message_id, r.inbox_id, m.sent_ms, m.expires_ms, r.revision, r.revision, m.device_types,
                coalesce(m.sent_ms < r.floor_ms OR m.sent_ms = r.floor_ms AND m.message_id >= r.floor_id, false)
            FROM raised r
            JOIN messages m ON m.app_id = \(app) AND m.message_id = \(message)
            \(onConflict)
            RETURNING inbox_id
        )
        """
    }
}
