package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    package func heads(of messages: [MessageID], in app: AppID) async throws -> [MessageHead] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT \(Self.head)
                FROM messages m
                WHERE m.app_id = \(app) AND m.message_id = ANY(\(messages))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in try Self.head(&row) }
        }
    }

    package func messages(
        among messages: [MessageID], withExtra extra: [String: String], in app: AppID
    ) async throws -> [MessageID] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT m.message_id
                FROM messages m
                WHERE m.app_id = \(app) AND m.message_id = ANY(\(messages))
                    AND m.extra @> jsonb_object(\(Array(extra.keys)), \(Array(extra.values)))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in try row.next() }
        }
    }

    package func body(of message: MessageID, in app: AppID) async throws -> MessageBody? {
        try await faults {
            try await pipelines.reads.row(
                "SELECT content_type, body FROM messages WHERE app_id = \(app) AND message_id = \(message)",
                scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                MessageBody(contentType: try row.next(), bytes: try row.next())
            }
        }
    }

    /// A tombstone for each delivery, or one row of the app's log where there are more than the limit, or may be.
    package func recall(
        _ message: MessageID, in app: AppID, by actor: String
    ) async throws -> RecallOutcome {
        let bound = Int64(limits.tombstonesPerRecall)
        let found = try await faults {
            try await pipelines.reads.row(
                """
                SELECT m.recalled_at IS NOT NULL, m.expires_ms <= martlet_now_ms(), m.broadcast
                    OR EXISTS (SELECT FROM fanouts WHERE app_id = m.app_id AND message_id = m.message_id) OR (
                    SELECT count(*) > \(bound) FROM (
                        SELECT FROM deliveries
                        WHERE app_id = \(app) AND message_id = \(message)
                        LIMIT \(bound + 1)) d)
                FROM messages m
                WHERE m.app_id = \(app) AND m.message_id = \(message)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                (
                    isRecalled: try row.next(Bool.self), isExpired: try row.next(Bool.self),
                    isLarge: try row.next(Bool.self)
                )
            }
        }
        guard let found else { return .unknown }
        if found.isRecalled { return .recalledBefore }
        if found.isExpired { return .expired }
        let recalled = recalled(message, in: app, by: actor)
        let statements =
            found.isLarge
            ? logRecall(of: message, in: app, recalled) : buryDeliveries(of: message, in: app, recalled)
        let results = try await write(
            statements, for: app, changing: found.isLarge ? .all : .returned, on: pipelines.sends)
        return results[1].affected == 1 ? .recalled : .recalledBefore
    }

    /// Statements whose second says whether this recall was the first.
    private func logRecall(of message: MessageID, in app: AppID, _ recalled: SQL) -> [SQL] {
        [
            "SELECT 1 FROM apps WHERE app_id = \(app) FOR NO KEY UPDATE",
            recalled,
            "DELETE FROM fanouts WHERE app_id = \(app) AND message_id = \(message)",
            """
            WITH app AS (
                UPDATE apps a SET revision = a.revision + 1
                WHERE a.app_id = \(app) AND NOT EXISTS (
                    SELECT FROM app_log WHERE app_id = \(app) AND message_id = \(message) AND recall)
                RETURNING a.app_id, a.revision
            )
            INSERT INTO app_log (app_id, revision, message_id, recall, sent_ms, expires_ms, device_types)
            SELECT a.app_id, a.revision, m.message_id, true, m.sent_ms, m.expires_ms, m.device_types
            FROM app a
            JOIN messages m ON m.app_id = a.app_id AND m.message_id = \(message)
            """,
        ]
    }

    /// The app's row is held alone, so that no inbox moves meanwhile (see `attach`).
    private func buryDeliveries(of message: MessageID, in app: AppID, _ recalled: SQL) -> [SQL] {
        [
            "SELECT 1 FROM apps WHERE app_id = \(app) FOR NO KEY UPDATE",
            recalled,
            """
            SELECT inbox_id FROM inboxes
            WHERE app_id = \(app) AND inbox_id IN (
                SELECT inbox_id FROM deliveries
                WHERE app_id = \(app) AND message_id = \(message) AND NOT deleted)
            ORDER BY inbox_id FOR NO KEY UPDATE
            """,
            """
            WITH held AS (
                SELECT inbox_id FROM deliveries
                WHERE app_id = \(app) AND message_id = \(message) AND NOT deleted
            ), raised AS (
                UPDATE inboxes i SET revision = i.revision + 1
                WHERE i.app_id = \(app) AND i.inbox_id IN (SELECT inbox_id FROM held)
                RETURNING i.inbox_id, i.revision
            )
            UPDATE deliveries d SET deleted = true, changed = r.revision, marked_at = NULL
            FROM raised r
            WHERE d.app_id = \(app) AND d.message_id = \(message) AND d.inbox_id = r.inbox_id
            RETURNING d.inbox_id AS changed_inbox
            """,
        ]
    }

    /// With its line of the audit; touches one row if this recall is the first.
    private func recalled(_ message: MessageID, in app: AppID, by actor: String) -> SQL {
        AuditLine(actor: actor, action: "message.recall", subject: message.text).statement(
            in: app,
            ifAny: """
                UPDATE messages SET recalled_at = martlet_now()
                WHERE app_id = \(app) AND message_id = \(message) AND recalled_at IS NULL
                RETURNING 1
                """)
    }

    /// Recipients, read, deleted and fetched are counted, at the cost of the message's deliveries.
    ///
    /// Who deletes a message marks it; what a recall or the cap buries has no mark. A device's mark of a broadcast stands
    /// in its person's inbox, too, with the same time: that echo is not counted.
    package func message(_ message: MessageID, in app: AppID) async throws -> MessageReport? {
        try await faults {
            try await pipelines.walks.row(
                """
                SELECT \(Self.head), m.broadcast, m.recalled_at, f.delivered, f.estimate,
                    coalesce(m.recipients, d.recipients), d.read, d.deleted,
                    (SELECT count(*) FROM fetches WHERE app_id = m.app_id AND message_id = m.message_id)
                FROM messages m
                LEFT JOIN fanouts f ON f.app_id = m.app_id AND f.message_id = m.message_id
                CROSS JOIN LATERAL (
                    SELECT count(*) AS recipients, count(*) FILTER (WHERE NOT unread AND NOT is_echo) AS read,
                        count(*) FILTER (WHERE deleted AND marked_at IS NOT NULL AND NOT is_echo) AS deleted
                    FROM (
                        SELECT r.unread, r.deleted, r.marked_at, m.broadcast AND n.inbox_id IS NOT NULL
                            AND bool_or(n.inbox_id IS NULL) OVER (PARTITION BY r.marked_at) AS is_echo
                        FROM deliveries r
                        LEFT JOIN named_users n ON m.broadcast AND n.app_id = r.app_id AND n.inbox_id = r.inbox_id
                        WHERE r.app_id = m.app_id AND r.message_id = m.message_id) r) d
                WHERE m.app_id = \(app) AND m.message_id = \(message)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                var report = try Self.report(&row)
                report.recipients = Int(try row.next(Int64.self))
                report.readCount = Int(try row.next(Int64.self))
                report.deletedCount = Int(try row.next(Int64.self))
                report.fetchedCount = Int(try row.next(Int64.self))
                return report
            }
        }
    }

    package func messages(
        in app: AppID, before: ListPosition?, limit: Int
    ) async throws -> [MessageReport] {
        let (sent, message) = (before?.sent.milliseconds, before?.message)
        return try await faults {
            try await pipelines.reads.rows(
                """
                SELECT \(Self.head), m.broadcast, m.recalled_at, f.delivered, f.estimate
                FROM messages m
                LEFT JOIN fanouts f ON f.app_id = m.app_id AND f.message_id = m.message_id
                WHERE m.app_id = \(app) AND (\(sent)::bigint IS NULL OR m.sent_ms < \(sent)
                    OR m.sent_ms = \(sent) AND m.message_id > \(message))
                ORDER BY m.sent_ms DESC, m.message_id
                LIMIT \(Int64(limit))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in try Self.report(&row) }
        }
    }

    package func position(of message: MessageID, in app: AppID) async throws -> ListPosition? {
        try await faults {
            try await pipelines.reads.row(
                "SELECT sent_ms FROM messages WHERE app_id = \(app) AND message_id = \(message)",
                scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                ListPosition(sent: Instant(milliseconds: try row.next()), message: message)
            }
        }
    }

    private static let head: SQL =
        """
        m.message_id, m.title, m.content_type, m.body_bytes,
        (SELECT array_agg(key ORDER BY key) FROM jsonb_each_text(m.extra)),
        (SELECT array_agg(value ORDER BY key) FROM jsonb_each_text(m.extra)),
        m.icon, m.sent_ms, m.expires_ms,
        m.device_types
        """

    private static func head(_ row: inout Row) throws(PostgresError) -> MessageHead {
        let id = try row.next(MessageID.self)
        let title = try row.next(String.self)
        let contentType = try row.next(String.self)
        let bodyBytes = Int(try row.next(Int32.self))
        let keys = try row.next([String]?.self) ?? []
        let values = try row.next([String]?.self) ?? []
        return MessageHead(
            id: id, title: title, contentType: contentType, bodyBytes: bodyBytes,
            extra: Dictionary(zip(keys, values)) { $1 }, icon: try row.next(),
            sent: Instant(milliseconds: try row.next()), expires: Instant(milliseconds: try row.next()),
            deviceTypes: try row.next())
    }

    private static func report(_ row: inout Row) throws(PostgresError) -> MessageReport {
        let head = try Self.head(&row)
        let isBroadcast = try row.next(Bool.self)
        let recalled = try row.next(Instant?.self)
        let delivered = try row.next(Int64?.self)
        let estimate = try row.next(Int64?.self)
        let progress = delivered.flatMap { delivered in
            estimate.map { FanOutProgress(delivered: Int(delivered), estimate: Int($0)) }
        }
        return MessageReport(
            head: head, counts: (0, 0, 0, 0), isBroadcast: isBroadcast, recalled: recalled, progress: progress
        )
    }
}
