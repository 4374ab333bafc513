import InboxModel
import Postgres

/// The newest deliveries that an inbox keeps: what falls out is a tombstone, and the floor keeps it from returning.
///
/// The revision of an inbox is never below the number of its deliveries: each raised it, also those that moved in. So an inbox whose revision is within the cap need not be looked at.
enum Cap {
    /// Inboxes of a range that this transaction has placed a message in, and that may be beyond the cap by it.
    ///
    /// - Complexity: one walk over the range's deliveries of the message, which lie side by side.
    static func full(
        after start: InboxID, upTo end: InboxID, with message: MessageID, in app: AppID
    ) -> SQL {
        """
        SELECT inbox_id FROM deliveries
        WHERE app_id = \(app) AND message_id = \(message) AND inbox_id > \(start) AND inbox_id <= \(end)
            AND xmin = pg_current_xact_id()::xid
            AND added > (SELECT inbox_cap FROM apps WHERE app_id = \(app))
        """
    }

    /// Tombstones what the given inboxes hold beyond the app's cap, at the revision they have by now.
    ///
    /// - Parameter inboxes: a query of `inbox_id`; each must be locked and raised in this transaction.
    /// - Complexity: an index scan of cap rows in each inbox whose revision is above the cap.
    static func enforce(in app: AppID, inboxes: SQL) -> SQL {
        """
        WITH beyond AS (
            SELECT n.inbox_id, b.sent_ms, b.message_id
            FROM (\(inboxes)) n
            CROSS JOIN LATERAL (
                SELECT sent_ms, message_id FROM deliveries
                WHERE app_id = \(app) AND inbox_id = n.inbox_id AND NOT deleted AND NOT broadcast
                    AND (SELECT revision FROM inboxes WHERE app_id = \(app) AND inbox_id = n.inbox_id)
                        > (SELECT inbox_cap FROM apps WHERE app_id = \(app))
                ORDER BY sent_ms DESC, message_id
                OFFSET (SELECT inbox_cap FROM apps WHERE app_id = \(app)) LIMIT 1) b
        ), floors AS (
            UPDATE inboxes i SET floor_ms = b.sent_ms, floor_id = b.message_id
            FROM beyond b
            WHERE i.app_id = \(app) AND i.inbox_id = b.inbox_id
            RETURNING i.inbox_id, i.revision, b.sent_ms, b.message_id
        )
        UPDATE deliveries m SET deleted = true, changed = f.revision, marked_at = NULL
        FROM floors f
        WHERE m.app_id = \(app) AND m.inbox_id = f.inbox_id AND NOT m.deleted AND NOT m.broadcast
            AND (m.sent_ms < f.sent_ms OR m.sent_ms = f.sent_ms AND m.message_id >= f.message_id)
        """
    }
}
