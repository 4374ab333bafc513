import InboxModel
import InboxService
import Postgres

/// How a message gets into inboxes.
enum Deliveries {
    /// The beginning of a statement, `WITH … placed AS (…)`: raises the inboxes whose person is still who the audience
    /// saw, then places the message in them; `placed` has their ids.
    ///
    /// - Parameters:
    ///   - target: a query of `inbox_id` and `person_id`.
    ///   - isBesidePeople: whether people may have the message besides devices.
    static func place(
        _ message: MessageID, in target: SQL, of app: AppID, isBesidePeople: Bool
    ) -> SQL {
        let among: SQL = """
            FROM target t
            WHERE i.app_id = \(app) AND i.inbox_id = t.inbox_id AND i.person_id IS NOT DISTINCT FROM t.person_id
            """
        return "WITH target AS MATERIALIZED (\(target)), " + raised(among)
            + placed(message, of: app, isBesidePeople)
    }

    /// The same for those of a few inboxes that match, each judged under its lock.
    ///
    /// They are locked in the order in which PostgreSQL finds them: ascending, with `PostgresStore.chunkPlans`.
    /// - Parameters:
    ///   - query: tells what holds for an inbox `i` that is to get the message.
    ///   - onConflict: what happens where the message is already.
    static func place(
        _ message: MessageID, among inboxes: [InboxID], by query: AudienceQuery, _ mode: DeliveryMode,
        onConflict: SQL
    ) -> SQL {
        let app = query.app
        let among: SQL = "WHERE i.app_id = \(app) AND i.inbox_id = ANY(\(inboxes)) AND \(query.matches(mode))"
        return "WITH " + raised(among)
            + placed(message, of: app, query.isBesidePeople(mode), onConflict: onConflict)
    }

    private static func raised(_ among: SQL) -> SQL {
        """
        raised AS (
            UPDATE inboxes i SET revision = i.revision + 1
            \(among)
            RETURNING i.inbox_id, i.revision, i.floor_ms, i.floor_id
        ),
        """
    }

    /// The message is looked up once, not for each inbox.
    private static func placed(
        _ message: MessageID, of app: AppID, _ isBesidePeople: Bool, onConflict: SQL = ""
    ) -> SQL {
        let isBeside: SQL =
            isBesidePeople
            ? "EXISTS (SELECT FROM channels c WHERE c.app_id = \(app) AND c.inbox_id = r.inbox_id OFFSET 0)"
            : "false"
        return """
             message AS MATERIALIZED (
                SELECT app_id, message_id, sent_ms, expires_ms, device_types FROM messages
                WHERE app_id = \(app) AND message_id = \(message)
            ), placed AS (
                INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types,
                    deleted, beside_people)
                SELECT m.app_id, m.message_id, r.inbox_id, m.sent_ms, m.expires_ms, r.revision, r.revision, m.device_types,
                    coalesce(m.sent_ms < r.floor_ms OR m.sent_ms = r.floor_ms AND m.message_id >= r.floor_id, false),
                    \(isBeside)
                FROM message m
                CROSS JOIN raised r
                \(onConflict)
                RETURNING inbox_id
            )
            """
    }
}
