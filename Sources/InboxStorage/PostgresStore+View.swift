package import InboxModel
package import InboxService
package import Platform
import Postgres

extension PostgresStore {
    package func credential(of user: UserID) async throws -> Credential? {
        try await faults { try await credentials.value(for: user) }
    }

    /// One row: the state, and the rows of both inboxes packed as text.
    ///
    /// - Complexity: index-only scans of `deliveries_by_order`, at most the cap each, and of the marks above the floor.
    package func list(for reader: Reader) async throws -> ListSnapshot? {
        let user = reader.user
        return try await faults {
            try await pipelines.reads.row(
                Self.list(app: user.app, userKey: user.key), scope: scope(user.app)
            ) { (row) throws(PostgresError) in
                try Self.snapshot(&row, of: user)
            }
        }
    }

    /// The statement of `list`, which the benchmark runs as its reference.
    static func list(app: AppID, userKey: Int64) -> SQL {
        """
        SELECT \(ReaderColumns.columns),
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
            m.ids, m.unread, m.deleted, m.at
        FROM inbox_users u \(ReaderColumns.joins)
        CROSS JOIN LATERAL (
            SELECT array_agg(b.message_id) AS ids, array_agg(b.unread) AS unread, array_agg(b.deleted) AS deleted,
                array_agg(coalesce(b.marked_at, 'epoch')) AS at
            FROM (VALUES (d.inbox_id), (d.person_id)) v (inbox_id)
            JOIN deliveries b ON b.app_id = \(app) AND b.inbox_id = v.inbox_id AND b.broadcast
                AND b.sent_ms >= coalesce(a.floor_ms, 0)) m
        WHERE u.app_id = \(app) AND u.user_key = \(userKey)
        """
    }

    private static func snapshot(_ row: inout Row, of user: UserID) throws(PostgresError) -> ListSnapshot {
        let reader = try ReaderColumns.decode(&row, of: user)
        var deliveries: [DeliveryRow] = []
        try appendPacked(&row, to: &deliveries)
        try appendPacked(&row, to: &deliveries)
        let ids = try row.next([MessageID]?.self) ?? []
        let unread = try row.next([Bool]?.self) ?? []
        let deleted = try row.next([Bool]?.self) ?? []
        let at = try row.next([Instant]?.self) ?? []
        let marks = ids.indices.map { index in
            BroadcastMark(
                message: ids[index], isUnread: unread[index], isDeleted: deleted[index], at: at[index])
        }
        return ListSnapshot(reader: reader, deliveries: deliveries, marks: marks)
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

    /// Live entries above the app's floor, and what set that floor, although it may have expired itself.
    ///
    /// A year of broadcasts may be alive, and the cap's worth of them is shown.
    package func log(of app: AppID, after revision: Revision) async throws -> [LogEntry] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT l.revision, l.recall, l.message_id, l.sent_ms, l.expires_ms, l.device_types, l.floor_ms, l.floor_id
                FROM app_log l
                JOIN apps a ON a.app_id = l.app_id
                WHERE l.app_id = \(app) AND l.revision > \(revision)
                    AND (l.expires_ms > martlet_now_ms()
                            AND (l.recall OR a.floor_ms IS NULL OR l.sent_ms > a.floor_ms
                                OR l.sent_ms = a.floor_ms AND l.message_id < a.floor_id)
                        OR NOT l.recall AND l.floor_ms = a.floor_ms AND l.floor_id = a.floor_id)
                ORDER BY l.revision
                """, scope: scope(app)
            ) { (row) throws(PostgresError) in
                let revision = try row.next(Revision.self)
                let isRecall = try row.next(Bool.self)
                let message = try row.next(MessageID.self)
                guard !isRecall else { return LogEntry(revision: revision, kind: .recall(message)) }
                let sent = Instant(milliseconds: try row.next())
                let expires = Instant(milliseconds: try row.next())
                let types = try row.next(DeviceTypes.self)
                let floorSent = try row.next(Int64?.self)
                let floorMessage = try row.next(MessageID?.self)
                var floor: ListPosition?
                if let floorSent, let floorMessage {
                    floor = ListPosition(sent: Instant(milliseconds: floorSent), message: floorMessage)
                }
                return LogEntry(
                    revision: revision,
                    kind: .broadcast(
                        ListPosition(sent: sent, message: message), expires: expires, types, floor: floor))
            }
        }
    }

    package func holding(of message: MessageID, by reader: Reader) async throws -> Holding? {
        let user = reader.user
        return try await faults {
            try await pipelines.reads.row(
                """
                SELECT \(ReaderColumns.columns), coalesce(h.held AND NOT h.deleted, false),
                    coalesce(h.deleted_broadcast, false),
                    EXISTS (
                        SELECT FROM messages
                        WHERE app_id = \(user.app) AND message_id = \(message)
                            AND recalled_at IS NULL AND expires_ms > martlet_now_ms())
                FROM inbox_users u \(ReaderColumns.joins)
                CROSS JOIN LATERAL (
                    SELECT bool_or(NOT broadcast) AS held, bool_or(deleted) AS deleted,
                        bool_or(broadcast AND deleted) AS deleted_broadcast
                    FROM deliveries
                    WHERE app_id = \(user.app) AND message_id = \(message)
                        AND inbox_id IN (d.inbox_id, d.person_id)) h
                WHERE u.app_id = \(user.app) AND u.user_key = \(user.key)
                """, scope: scope(user.app)
            ) { (row) throws(PostgresError) in
                let reader = try ReaderColumns.decode(&row, of: user)
                return Holding(
                    reader: reader, isDelivered: try row.next(), isDeletedBroadcast: try row.next(),
                    isLive: try row.next())
            }
        }
    }

    package func saveValidator(
        _ validator: (state: [UInt8], soonestExpiry: Instant?), of user: UserID, received: Int64?
    ) async throws -> Int64? {
        // A date from the client counts only near now, else a wrong clock would carry ours away.
        let results = try await write(
            [
                """
                UPDATE inbox_users u
                SET list_state = \(validator.state), list_expiry = \(validator.soonestExpiry),
                    list_date = CASE
                        WHEN u.list_state = \(validator.state)
                            AND u.list_expiry IS NOT DISTINCT FROM \(validator.soonestExpiry) THEN u.list_date
                        ELSE greatest(t.now, u.list_date + 1,
                            CASE WHEN abs(\(received) - t.now) <= 86400 THEN \(received) + 1 END) END
                FROM (SELECT floor(extract(epoch FROM martlet_now()))::bigint AS now) t
                WHERE u.app_id = \(user.app) AND u.user_key = \(user.key)
                RETURNING u.list_date
                """
            ], for: user.app)
        return try results[0].row { (row) throws(PostgresError) in try row.next(Int64.self) }
    }
}
