package import InboxModel
package import InboxService
package import Platform
import Postgres

extension PostgresStore {
    package func credential(of user: UserID) async throws -> Credential? {
        try await faults { try await credentials.value(for: user) }
    }

    /// By one statement for all lists of the app that are asked for at once.
    ///
    /// - Complexity: index-only scans of `deliveries_by_order`, at most the cap each, and of the marks above the floor.
    package func list(for reader: Reader) async throws -> ListSnapshot? {
        try await faults { try await lists.value(for: reader.user) }
    }

    package func log(of app: AppID, after revision: Revision) async throws -> LogNews {
        let rows = try await faults {
            try await pipelines.reads.rows(
                """
                SELECT a.revision, l.revision, l.recall, l.message_id, l.sent_ms, l.expires_ms, l.device_types, l.floor_ms, l.floor_id
                FROM apps a
                LEFT JOIN app_log l ON l.app_id = a.app_id AND l.revision > \(revision)
                    AND (l.expires_ms > martlet_now_ms()
                            AND (l.recall OR a.floor_ms IS NULL OR l.sent_ms > a.floor_ms
                                OR l.sent_ms = a.floor_ms AND l.message_id < a.floor_id)
                        OR NOT l.recall AND l.floor_ms = a.floor_ms AND l.floor_id = a.floor_id)
                WHERE a.app_id = \(app)
                ORDER BY l.revision
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                (reached: try row.next(Revision.self), entry: try LogEntry(ifAny: &row))
            }
        }
        // An app that is gone has reached nothing.
        return LogNews(rows.compactMap(\.entry), reached: rows.first?.reached ?? Revision(rawValue: 0))
    }

    package func holding(of message: MessageID, by reader: Reader) async throws -> Holding? {
        let user = reader.user
        return try await faults {
            try await pipelines.reads.row(
                """
                SELECT \(ReaderColumns.columns), coalesce(h.by_device AND NOT h.deleted, false),
                    coalesce(h.by_person AND NOT h.deleted, false), coalesce(h.deleted_broadcast, false),
                    EXISTS (
                        SELECT FROM messages
                        WHERE app_id = \(user.app) AND message_id = \(message)
                            AND recalled_at IS NULL AND expires_ms > martlet_now_ms()),
                    \(ReaderColumns.person)
                FROM inbox_users u \(ReaderColumns.joins)
                CROSS JOIN LATERAL (
                    SELECT bool_or(NOT broadcast AND inbox_id = d.inbox_id AND u.expires_at IS NULL) AS by_device,
                        bool_or(NOT broadcast AND (inbox_id = d.person_id OR u.expires_at IS NOT NULL)) AS by_person,
                        bool_or(deleted) AS deleted,
                        bool_or(broadcast AND deleted) AS deleted_broadcast
                    FROM deliveries
                    WHERE app_id = \(user.app) AND message_id = \(message)
                        AND inbox_id IN (d.inbox_id, d.person_id)) h
                WHERE u.app_id = \(user.app) AND u.user_key = \(user.key)
                """, scope: Self.scope(user.app)
            ) { (row) throws(PostgresError) in
                let reader = try ReaderColumns.decode(&row, of: user)
                return Holding(
                    reader: reader, delivered: (device: try row.next(), person: try row.next()),
                    isDeletedBroadcast: try row.next(), isLive: try row.next(), person: try row.next())
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
            ], for: user.app, changing: .none)
        return try results[0].row { (row) throws(PostgresError) in try row.next(Int64.self) }
    }
}

extension LogEntry {
    /// The entry of a row of `app_log`, which an outer join may have left empty.
    fileprivate init?(ifAny row: inout Row) throws(PostgresError) {
        guard let revision = try row.next(Revision?.self) else { return nil }
        let isRecall = try row.next(Bool.self)
        let message = try row.next(MessageID.self)
        let sent = Instant(milliseconds: try row.next())
        let expires = Instant(milliseconds: try row.next())
        guard !isRecall else {
            self.init(revision: revision, kind: .recall(message, expires: expires))
            return
        }
        let types = try row.next(DeviceTypes.self)
        let floorSent = try row.next(Int64?.self)
        let floorMessage = try row.next(MessageID?.self)
        var floor: ListPosition?
        if let floorSent, let floorMessage {
            floor = ListPosition(sent: Instant(milliseconds: floorSent), message: floorMessage)
        }
        let position = ListPosition(sent: sent, message: message)
        self.init(revision: revision, kind: .broadcast(position, expires: expires, types, floor: floor))
    }
}
