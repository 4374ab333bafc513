import Foundation
import InboxModel
import InboxService
import Postgres

/// The statements of one chunk of a fan-out, in the order of locks: app, message, fan-out, inboxes, deliveries.
///
/// The chunk's inboxes are judged again as they are raised: by the tags and channels of that statement's beginning, and
/// by who is logged in when the inbox is locked. So nobody gets the message for a person or a tag that was gone before.
struct FanOutChunk {
    /// What `martlet_forestalled` says where the message was recalled or expired.
    static let over = "message"
    /// What it says where another runner has the fan-out, or went on with it, or there is none.
    static let taken = "fanout"
    let fanOut: FanOut
    /// Ascending; not empty.
    let inboxes: [InboxID]
    let runner: UUID

    private var last: InboxID { inboxes[inboxes.count - 1] }

    /// - Parameter onConflict: what happens where an inbox has the message; an error undoes the chunk.
    func statements(onConflict: SQL = "") -> [SQL] {
        let (app, message) = (fanOut.id.app, fanOut.id.message)
        return [
            // Deliveries have no foreign key that would keep the app from being deleted meanwhile.
            "SELECT 1 FROM apps WHERE app_id = \(app) FOR KEY SHARE",
            """
            WITH message AS (
                SELECT recalled_at, expires_ms FROM messages
                WHERE app_id = \(app) AND message_id = \(message)
                FOR SHARE
            )
            SELECT martlet_forestalled(\(Self.over))
            FROM message
            WHERE recalled_at IS NOT NULL OR expires_ms <= martlet_now_ms()
            """,
            """
            WITH mine AS (
                SELECT 1 FROM fanouts
                WHERE app_id = \(app) AND message_id = \(message) AND position = \(fanOut.position)
                    AND (runner IS NULL OR runner = \(runner) OR runs_until <= martlet_now())
                FOR NO KEY UPDATE
            )
            SELECT martlet_forestalled(\(Self.taken)) WHERE NOT EXISTS (SELECT FROM mine)
            """,
            placed(onConflict) + advanced,
            Cap.enforce(
                in: app, inboxes: Cap.full(after: fanOut.position, upTo: last, with: message, in: app)),
        ]
    }

    private func placed(_ onConflict: SQL) -> SQL {
        Deliveries.place(
            fanOut.id.message, among: inboxes, by: AudienceQuery(fanOut), fanOut.deliveryMode,
            onConflict: onConflict)
    }

    private var advanced: SQL {
        """
        , advanced AS (
            UPDATE fanouts
            SET position = \(last), delivered = delivered + (SELECT count(*) FROM placed),
                runner = \(runner), runs_until = martlet_now() + interval '10 seconds'
            WHERE app_id = \(fanOut.id.app) AND message_id = \(fanOut.id.message)
        )
        SELECT inbox_id AS changed_inbox FROM placed
        """
    }
}
