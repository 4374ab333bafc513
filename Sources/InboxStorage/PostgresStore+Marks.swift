package import InboxModel
package import InboxService
import Postgres

extension PostgresStore {
    /// One statement for deliveries, and one more where there are broadcasts.
    ///
    /// - Complexity: a look-up by the primary key for each id and inbox.
    package func mark(
        _ messages: [MessageID], broadcasts: [MessageID], of reader: Reader, as mark: Mark,
        upTo point: ViewState?
    ) async throws {
        let user = reader.user
        var statements: [SQL] = reader.filter == .off ? [] : [Self.hold(reader)]
        if !messages.isEmpty { statements.append(Self.mark(messages, of: user, as: mark, upTo: point)) }
        if !broadcasts.isEmpty { statements.append(Self.markBroadcasts(broadcasts, of: user, as: mark)) }
        guard !messages.isEmpty || !broadcasts.isEmpty else { return }
        let locks = [reader.state.device] + (reader.state.person.map { [$0] } ?? [])
        do {
            _ = try await write(statements, for: reader.user.app, locks: locks, changing: .inboxes(locks))
        } catch let forestalled as Forestalled where forestalled.name == Self.changedReader {
            throw ReaderChanged()
        }
    }

    /// What `martlet_forestalled` says of a reader who is not who it was.
    private static let changedReader = "reader"

    /// Ends the transaction if somebody else is logged in by now; the inbox is locked, so that it stays so.
    private static func hold(_ reader: Reader) -> SQL {
        """
        SELECT martlet_forestalled(\(changedReader))
        WHERE NOT EXISTS (
            SELECT FROM inbox_users u
            JOIN inboxes d ON d.app_id = u.app_id AND d.inbox_id = u.inbox_id
            WHERE u.app_id = \(reader.user.app) AND u.user_key = \(reader.user.key)
                AND u.inbox_id = \(reader.state.device) AND d.person_id IS NOT DISTINCT FROM \(reader.state.person))
        """
    }

    /// Marks deliveries of the inboxes that are the user's when it runs, not of those that a look-up saw.
    ///
    /// Where device and person hold a message, both get the mark, unless both have it or the message is deleted in one.
    static func mark(
        _ messages: [MessageID], of user: UserID, as mark: Mark, upTo point: ViewState? = nil
    ) -> SQL {
        """
        WITH reader AS (\(inboxes(of: user))), held AS (
            SELECT m.inbox_id, m.message_id, bool_or(m.deleted) OVER of_view AS gone,
                bool_and(\(isDone(mark))) OVER of_view AS done, bool_or(\(added(upTo: point))) OVER of_view AS seen
            FROM reader r
            CROSS JOIN unnest(\(messages)) w (message_id)
            JOIN deliveries m ON m.app_id = \(user.app) AND m.message_id = w.message_id
                AND m.inbox_id = r.inbox_id
            WHERE NOT m.broadcast AND m.expires_ms > (SELECT martlet_now_ms())
                AND m.device_types & r.device_types <> 0
            WINDOW of_view AS (PARTITION BY m.message_id)
        ), target AS (
            SELECT inbox_id, message_id FROM held WHERE NOT gone AND NOT done AND seen
        ), raised AS (\(raise("target", app: user.app)))
        UPDATE deliveries m
        SET \(columns(of: mark)), marked_at = martlet_now(), changed = r.revision
        FROM target h
        JOIN raised r ON r.inbox_id = h.inbox_id
        WHERE m.app_id = \(user.app) AND m.message_id = h.message_id AND m.inbox_id = h.inbox_id
        """
    }

    /// Makes or changes the reader's own rows of live broadcasts that the reader's baselines let through.
    ///
    /// All inboxes of the view get the mark, unless all have it: of two marks the later counts, wherever it is seen from.
    static func markBroadcasts(_ messages: [MessageID], of user: UserID, as mark: Mark) -> SQL {
        """
        WITH reader AS (\(inboxes(of: user))), seen AS (
            SELECT r.inbox_id, l.message_id, l.sent_ms, l.expires_ms, l.device_types,
                coalesce(bool_or(m.deleted) OVER of_view, false) AS gone,
                bool_and(m.inbox_id IS NOT NULL AND \(isDone(mark))) OVER of_view AS done
            FROM reader r
            JOIN app_log l ON l.app_id = \(user.app) AND l.message_id = ANY(\(messages)) AND NOT l.recall
                AND l.expires_ms > martlet_now_ms() AND l.revision > r.baseline
            LEFT JOIN deliveries m ON m.app_id = l.app_id AND m.message_id = l.message_id
                AND m.inbox_id = r.inbox_id
            WINDOW of_view AS (PARTITION BY l.message_id)
        ), target AS (
            SELECT inbox_id, message_id, sent_ms, expires_ms, device_types FROM seen WHERE NOT gone AND NOT done
        ), raised AS (\(raise("target", app: user.app)))
        INSERT INTO deliveries AS m (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, marked_at,
            device_types, unread, deleted, broadcast)
        SELECT \(user.app), t.message_id, t.inbox_id, t.sent_ms, t.expires_ms, r.revision, r.revision,
            martlet_now(), t.device_types, \(mark != .read), \(mark == .delete), true
        FROM target t
        JOIN raised r ON r.inbox_id = t.inbox_id
        ON CONFLICT (app_id, message_id, inbox_id) DO UPDATE
        SET \(columns(of: mark)), marked_at = excluded.marked_at, changed = excluded.changed
        """
    }

    /// The inboxes of a user's view, each with the view's baseline and the types of its device.
    private static func inboxes(of user: UserID) -> SQL {
        """
        SELECT v.inbox_id, least(d.baseline, p.baseline) AS baseline, d.device_types
        FROM inbox_users u
        JOIN inboxes d ON d.app_id = u.app_id AND d.inbox_id = u.inbox_id
        LEFT JOIN inboxes p ON p.app_id = d.app_id AND p.inbox_id = d.person_id
        CROSS JOIN LATERAL (VALUES (d.inbox_id), (p.inbox_id)) v (inbox_id)
        WHERE u.app_id = \(user.app) AND u.user_key = \(user.key) AND v.inbox_id IS NOT NULL
        """
    }

    private static func raise(_ rows: SQL, app: AppID) -> SQL {
        """
        UPDATE inboxes i SET revision = i.revision + 1
        WHERE i.app_id = \(app) AND i.inbox_id IN (SELECT inbox_id FROM \(rows))
        RETURNING i.inbox_id, i.revision
        """
    }

    private static func columns(of mark: Mark) -> SQL {
        switch mark {
        case .read: "unread = false"
        case .unread: "unread = true"
        case .delete: "deleted = true"
        }
    }

    /// Whether a row that is not deleted says already what the mark says.
    private static func isDone(_ mark: Mark) -> SQL {
        switch mark {
        case .read: "NOT m.unread"
        case .unread: "m.unread"
        case .delete: "false"
        }
    }

    /// Rows that were in their inbox at a point.
    private static func added(upTo point: ViewState?) -> SQL {
        guard let point else { return "true" }
        return """
            (m.inbox_id = \(point.device) AND m.added <= \(point.deviceRevision)
                OR m.inbox_id = \(point.person) AND m.added <= \(point.personRevision))
            """
    }
}
