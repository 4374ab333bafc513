import InboxModel
import InboxService
import Platform
import Postgres

/// The statements of one transaction that sends messages, and where their answers are.
struct SendBatch {
    /// Statements so far; `statements` puts the locks in front of deliveries.
    private var messages: [SQL] = []
    private var broadcasts: [(index: Int, sql: SQL)] = []
    private var targets: [(index: Int, sql: SQL)] = []
    private var sends: [Send] = []
    private let app: AppID
    private let limits: Limits

    init(app: AppID, limits: Limits) {
        self.app = app
        self.limits = limits
    }

    mutating func add(_ send: Send, deliveryMode: DeliveryMode) {
        let index = sends.count
        sends.append(send)
        messages.append(insert(send))
        if send.isBroadcast {
            broadcasts.append((index, broadcast(send.message)))
        } else {
            targets.append((index, AudienceQuery(app: app, send).target(deliveryMode)))
        }
    }

    /// App (only for broadcasts), messages, the log, inboxes in ascending order, deliveries with their caps.
    var statements: [SQL] {
        var statements: [SQL] = []
        if !broadcasts.isEmpty {
            statements.append("SELECT 1 FROM apps WHERE app_id = \(app) FOR NO KEY UPDATE")
        }
        statements += messages + broadcasts.map(\.sql)
        guard let first = targets.first else { return statements }
        let all = targets.dropFirst().reduce(inboxes(first.sql)) { $0 + " UNION " + inboxes($1.sql) }
        statements.append(
            """
            SELECT inbox_id FROM inboxes
            WHERE app_id = \(app) AND inbox_id IN (\(all))
            ORDER BY inbox_id FOR NO KEY UPDATE
            """)
        for target in targets {
            let message = sends[target.index].message
            statements.append(deliver(message, to: target.sql))
            statements.append(
                Cap.enforce(
                    in: app,
                    inboxes: """
                        SELECT inbox_id FROM deliveries
                        WHERE app_id = \(app) AND message_id = \(message) AND NOT broadcast
                        """))
        }
        return statements
    }

    /// Everyone's, or those of the inboxes that get a message.
    var changedViews: ChangedViews { broadcasts.isEmpty ? .returned : .all }

    func outcome(
        of index: Int, from results: [QueryResult], unknown: [String]
    ) throws(PostgresError) -> SendOutcome {
        let start = broadcasts.isEmpty ? 0 : 1
        let times = try results[start + index].row { (row) throws(PostgresError) in
            (
                sent: try row.next(Int64.self), expires: try row.next(Int64.self),
                isClamped: try row.next(Bool.self), broadcastRecipients: try row.next(Int32?.self)
            )
        }
        guard let times else { throw PostgresError(.decoding, "a message was not stored") }
        var recipients = Int(times.broadcastRecipients ?? 0)
        if let place = targets.firstIndex(where: { $0.index == index }) {
            // After messages and log comes the lock, then two statements a target.
            recipients = results[start + sends.count + broadcasts.count + 1 + 2 * place].affected
        }
        return SendOutcome(
            message: sends[index].message, recipients: recipients, unknown: unknown,
            sent: Instant(milliseconds: times.sent), expires: Instant(milliseconds: times.expires),
            isExpiryClamped: times.isClamped)
    }

    private func inboxes(_ target: SQL) -> SQL { "SELECT inbox_id FROM (\(target)) t" }

    private func insert(_ send: Send) -> SQL {
        let draft = send.draft
        var after: Int64?
        var at: Int64?
        switch draft.expiry {
        case .longest, .never: break
        // Longer lives are cut anyway, and a product beyond 64 bits would be an error of ours.
        case .after(let seconds): after = min(seconds, limits.lifeSeconds + 1) * 1000
        case .at(let instant): at = instant.milliseconds
        }
        let recipients: SQL =
            send.isBroadcast
            ? "(\(AudienceQuery.installedChannels(of: send.deviceTypes, in: app)))::integer" : "NULL::integer"
        return """
            INSERT INTO messages (app_id, message_id, title, content_type, extra, icon, sent_ms, expires_ms,
                device_types, body_bytes, broadcast, recipients, push, body)
            SELECT \(app), \(send.message), \(draft.title), \(draft.contentType),
                jsonb_object(\(Array(draft.extra.keys)), \(Array(draft.extra.values))), \(draft.icon), t.now,
                least(coalesce(\(at), t.now + \(after), t.longest), t.longest), \(send.deviceTypes),
                \(Int32(draft.body.count)), \(send.isBroadcast), \(recipients), \(send.pushJSON), \(draft.body)
            FROM (SELECT martlet_now_ms() AS now, martlet_now_ms() + \(limits.lifeSeconds * 1000) AS longest) t
            RETURNING sent_ms, expires_ms,
                coalesce(\(at) > expires_ms, \(after) > expires_ms - sent_ms, \(draft.expiry == .never)), recipients
            """
    }

    /// Raises the inboxes whose person is still who the audience saw, then places the message in them.
    private func deliver(_ message: MessageID, to target: SQL) -> SQL {
        """
        WITH target AS MATERIALIZED (\(target)), raised AS (
            UPDATE inboxes i SET revision = i.revision + 1
            FROM target t
            WHERE i.app_id = \(app) AND i.inbox_id = t.inbox_id AND i.person_id IS NOT DISTINCT FROM t.person_id
            RETURNING i.inbox_id, i.revision, i.floor_ms, i.floor_id
        )
        INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types, deleted)
        SELECT m.app_id, m.message_id, r.inbox_id, m.sent_ms, m.expires_ms, r.revision, r.revision, m.device_types,
            coalesce(m.sent_ms < r.floor_ms OR m.sent_ms = r.floor_ms AND m.message_id >= r.floor_id, false)
        FROM raised r
        JOIN messages m ON m.app_id = \(app) AND m.message_id = \(message)
        RETURNING inbox_id AS changed_inbox
        """
    }

    /// One row of the log; what then is beyond the app's cap falls below its floor, which never goes back: the log may
    /// have become shorter, and the cap larger.
    private func broadcast(_ message: MessageID) -> SQL {
        """
        WITH beyond AS (
            SELECT l.sent_ms, l.message_id
            FROM apps a
            CROSS JOIN LATERAL (
                SELECT n.sent_ms, n.message_id
                FROM (
                    SELECT sent_ms, message_id FROM app_log
                    WHERE app_id = \(app) AND NOT recall AND sent_ms >= coalesce(a.floor_ms, 0)
                    UNION ALL
                    SELECT sent_ms, message_id FROM messages WHERE app_id = \(app) AND message_id = \(message)) n
                WHERE a.floor_ms IS NULL OR n.sent_ms > a.floor_ms
                    OR n.sent_ms = a.floor_ms AND n.message_id < a.floor_id
                ORDER BY n.sent_ms DESC, n.message_id
                OFFSET a.inbox_cap LIMIT 1) l
            WHERE a.app_id = \(app)
        ), app AS (
            UPDATE apps a SET revision = a.revision + 1,
                floor_ms = coalesce((SELECT sent_ms FROM beyond), a.floor_ms),
                floor_id = coalesce((SELECT message_id FROM beyond), a.floor_id)
            WHERE a.app_id = \(app)
            RETURNING a.app_id, a.revision, a.floor_ms, a.floor_id
        )
        INSERT INTO app_log (app_id, revision, message_id, recall, sent_ms, expires_ms, device_types, floor_ms, floor_id)
        SELECT a.app_id, a.revision, m.message_id, false, m.sent_ms, m.expires_ms, m.device_types, a.floor_ms, a.floor_id
        FROM app a
        JOIN messages m ON m.app_id = a.app_id AND m.message_id = \(message)
        """
    }
}
