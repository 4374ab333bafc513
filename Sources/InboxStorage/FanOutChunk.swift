import Foundation
import InboxModel
import InboxService
import Postgres

/// The statements of one chunk of a fan-out, in the order of locks: app, message, fan-out, inboxes, deliveries.
///
/// Whoever is to get the message is found again under the locks of the chunk's inboxes, so nobody gets it for a
/// person or a tag that was gone before.
struct FanOutChunk {
    /// What `martlet_forestalled` says where the message was recalled or expired.
    static let over = "message"
    /// What it says where another runner has the fan-out, or went on with it, or there is none.
    static let taken = "fanout"
    let fanOut: FanOut
    /// Ascending; not empty.
    let inboxes: [InboxID]
    let runner: UUID

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
            """
            SELECT 1 FROM inboxes
            WHERE app_id = \(app) AND inbox_id = ANY(\(inboxes))
            ORDER BY inbox_id FOR NO KEY UPDATE
            """,
            placed(onConflict) + advanced,
            Cap.enforce(in: app, inboxes: Cap.full(among: inboxes, with: message, in: app)),
        ]
    }

    private func placed(_ onConflict: SQL) -> SQL {
        let target = AudienceQuery(fanOut).target(fanOut.deliveryMode, among: inboxes)
        return Deliveries.place(
            fanOut.id.message, in: target, of: fanOut.id.app, onConflict: onConflict)
    }

    private var advanced: SQL {
        """
        , advanced AS (
            UPDATE fanouts
            SET position = \(inboxes[inboxes.count - 1]), delivered = delivered + (SELECT count(*) FROM placed),
                runner = \(runner), runs_until = martlet_now() + interval '10 seconds'
            WHERE app_id = \(fanOut.id.app) AND message_id = \(fanOut.id.message)
        )
        SELECT inbox_id AS changed_inbox FROM placed
        """
    }
}
