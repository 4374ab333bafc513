import InboxModel
import InboxService
import Platform
import Postgres

/// The view in one statement: a row a user, with the state, and the rows of both inboxes packed as text.
///
/// Packed, because a row of a result costs PostgreSQL and libpq more than a delivery does.
enum ListStatement {
    /// One statement for users of one app; for a single one the plain form, which costs less.
    static func statement(_ users: [UserID]) -> SQL {
        let app = users[0].app
        guard users.count > 1 else {
            return """
                SELECT 1::bigint, \(columns(of: app))
                FROM inbox_users u \(joins(of: app))
                WHERE u.app_id = \(app) AND u.user_key = \(users[0].key)
                """
        }
        return """
            SELECT k.i, \(columns(of: app))
            FROM unnest(\(users.map(\.key))) WITH ORDINALITY k (user_key, i)
            JOIN inbox_users u ON u.app_id = \(app) AND u.user_key = k.user_key \(joins(of: app))
            """
    }

    static func columns(of app: AppID) -> SQL {
        """
        \(ReaderColumns.columns),
            (SELECT string_agg(row, '') FROM (
                SELECT CASE WHEN unread THEN '1' ELSE '0' END || message_id AS row
                FROM deliveries
                WHERE app_id = \(app) AND inbox_id = d.inbox_id AND NOT deleted AND NOT broadcast
                ORDER BY sent_ms DESC, message_id) device_rows),
            CASE WHEN d.person_id IS NOT NULL THEN (SELECT string_agg(row, '') FROM (
                SELECT CASE WHEN unread THEN '1' ELSE '0' END || message_id AS row
                FROM deliveries
                WHERE app_id = \(app) AND inbox_id = d.person_id AND NOT deleted AND NOT broadcast
                ORDER BY sent_ms DESC, message_id) person_rows) END,
            m.ids, m.unread, m.deleted, m.at, \(ReaderColumns.person)
        """
    }

    static func joins(of app: AppID) -> SQL {
        """
        \(ReaderColumns.joins)
        CROSS JOIN LATERAL (
            SELECT array_agg(b.message_id) AS ids, array_agg(b.unread) AS unread, array_agg(b.deleted) AS deleted,
                array_agg(coalesce(b.marked_at, 'epoch')) AS at
            FROM (
                SELECT b.message_id, b.unread, b.deleted, b.marked_at
                FROM (VALUES (d.inbox_id), (d.person_id)) v (inbox_id)
                JOIN deliveries b ON b.app_id = \(app) AND b.inbox_id = v.inbox_id AND b.broadcast
                    AND b.sent_ms >= coalesce(a.floor_ms, 0)
                UNION ALL
                SELECT s.message_id, s.unread, s.deleted, s.marked_at
                FROM deliveries f
                JOIN deliveries s ON s.app_id = f.app_id AND s.message_id = f.message_id
                    AND s.inbox_id IN (d.inbox_id, d.person_id)
                WHERE f.app_id = \(app) AND f.inbox_id = d.inbox_id AND f.beside_people AND d.person_id IS NOT NULL
                    AND f.expires_ms > martlet_now_ms()) b) m
        """
    }

    /// Reads a row: the place of its user in the statement's array, and what was found.
    static func decode(_ row: inout Row, _ users: [UserID]) throws(PostgresError) -> (
        index: Int, ListSnapshot
    ) {
        let index = Int(try row.next(Int64.self)) - 1
        return (index, try snapshot(&row, of: users[index]))
    }

    /// Reads what `columns` selects.
    static func snapshot(_ row: inout Row, of user: UserID) throws(PostgresError) -> ListSnapshot {
        let reader = try ReaderColumns.decode(&row, of: user)
        var deliveries: [DeliveryRow] = []
        try appendPacked(&row, to: &deliveries)
        let ofDevice = deliveries.count
        try appendPacked(&row, to: &deliveries)
        let ids = try row.next([MessageID]?.self) ?? []
        let unread = try row.next([Bool]?.self) ?? []
        let deleted = try row.next([Bool]?.self) ?? []
        let at = try row.next([Instant]?.self) ?? []
        let marks = ids.indices.map { index in
            BroadcastMark(
                message: ids[index], isUnread: unread[index], isDeleted: deleted[index], at: at[index])
        }
        return ListSnapshot(
            reader: reader, deliveries: deliveries, ofDevice: ofDevice, marks: marks, person: try row.next())
    }

    /// Reads rows of one character, `1` for unread, and a message id each.
    private static func appendPacked(_ row: inout Row, to rows: inout [DeliveryRow]) throws(PostgresError) {
        let text = try row.withNextBytes { (span) throws(PostgresError) in
            unsafe span?.withUnsafeBytes { unsafe [UInt8]($0) } ?? []
        }
        let stride = 1 + Base64URL.textBytes
        guard text.count.isMultiple(of: stride) else {
            throw PostgresError(.decoding, "a packed list is cut off")
        }
        rows.reserveCapacity(rows.count + text.count / stride)
        for start in Swift.stride(from: 0, to: text.count, by: stride) {
            guard let message = MessageID(text, at: start + 1) else {
                throw PostgresError(.decoding, "a packed list holds what is no message id")
            }
            rows.append(DeliveryRow(message: message, isUnread: text[start] == UInt8(ascii: "1")))
        }
    }
}
