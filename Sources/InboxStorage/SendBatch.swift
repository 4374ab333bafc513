import InboxModel
import InboxService
import Platform
import Postgres

/// The statements of one transaction that sends messages, and where their answers are.
struct SendBatch {
    /// In the order of locks: the request's key, app (only for broadcasts), messages, the log, inboxes ascending,
    /// deliveries with their caps.
    private(set) var statements: [SQL] = []
    private var places: [Place]
    private let app: AppID
    private let limits: Limits

    /// A message, and by which way it gets to its readers.
    struct Item {
        var send: Send
        /// What its audience names in vain.
        var unknown: [String]
        var way: Way
    }

    enum Way {
        /// One row of the app's log.
        case log
        /// A query of `inbox_id` and `person_id`; and whether it finds people besides devices.
        case deliveries(to: SQL, isBesidePeople: Bool)
        /// In the background, to so many as match now.
        case fanOut(DeliveryMode, reachesPeople: Bool, estimate: Int)

        var target: SQL? {
            if case .deliveries(let target, _) = self { target } else { nil }
        }

        var estimate: Int? {
            if case .fanOut(_, _, let estimate) = self { estimate } else { nil }
        }
    }

    /// Which statements' results tell what became of a message.
    private struct Place {
        var item: Item
        var message = 0
        var deliveries: Int?
    }

    init(_ items: [Item], in app: AppID, as terms: SendTerms, limits: Limits) throws {
        self.app = app
        self.limits = limits
        places = items.map { Place(item: $0) }
        if let request = terms.request {
            let sends = items.map { Idempotency.KeptSend($0.send, unknown: $0.unknown) }
            let kept = Idempotency.Kept(memo: terms.memo, sends: sends)
            statements.append(try Idempotency.claim(request, keeping: kept, in: app))
        }
        try addMessages()
        try addDeliveries()
        if !items.isEmpty { statements.append(audited(by: terms.actor)) }
        if let request = terms.request, !items.isEmpty {
            statements.append(Idempotency.settle(request, items.map(\.send.message), in: app))
        }
    }

    /// Everyone's, or those of the inboxes that get a message.
    var changedViews: ChangedViews { places.contains { $0.item.send.isBroadcast } ? .all : .returned }

    /// What became of each message, in order.
    func outcomes(from results: [QueryResult]) throws(PostgresError) -> [SendOutcome] {
        var outcomes: [SendOutcome] = []
        for place in places { outcomes.append(try outcome(of: place, from: results)) }
        return outcomes
    }

    private func outcome(
        of place: Place, from results: [QueryResult]
    ) throws(PostgresError) -> SendOutcome {
        let stored = try results[place.message].row { (row) throws(PostgresError) in
            (
                sent: Instant(milliseconds: try row.next()), expires: Instant(milliseconds: try row.next()),
                recipients: try row.next(Int32?.self)
            )
        }
        guard let stored else { throw PostgresError(.decoding, "a message was not stored") }
        let send = place.item.send
        return SendOutcome(
            message: send.message,
            recipients: place.deliveries.map { results[$0].count } ?? place.item.way.estimate
                ?? Int(stored.recipients ?? 0),
            estimate: place.item.way.estimate, unknown: place.item.unknown, sent: stored.sent,
            expires: stored.expires,
            isExpiryClamped: send.draft.expiry.isClamped(sent: stored.sent, expires: stored.expires))
    }

    private mutating func addMessages() throws {
        let broadcasts = places.filter { $0.item.send.isBroadcast }
        if !broadcasts.isEmpty {
            statements.append("SELECT 1 FROM apps WHERE app_id = \(app) FOR NO KEY UPDATE")
        }
        for index in places.indices {
            places[index].message = statements.count
            statements.append(insert(places[index].item.send))
        }
        statements += broadcasts.map { broadcast($0.item.send.message) }
        for place in places {
            guard case .fanOut(let mode, let reachesPeople, let estimate) = place.item.way else { continue }
            statements.append(try fanOut(place.item.send, mode, reachesPeople, estimate: estimate))
        }
    }

    /// A line for each message.
    private func audited(by actor: String) -> SQL {
        let sends = places.map(\.item.send)
        return """
            INSERT INTO audit (app_id, actor, action, subject, detail)
            SELECT \(app), \(actor), 'message.send', s.message_id, jsonb_build_object('broadcast', s.broadcast)
            FROM unnest(\(sends.map(\.message)), \(sends.map(\.isBroadcast))) WITH ORDINALITY
                s (message_id, broadcast, number)
            ORDER BY s.number
            """
    }

    private mutating func addDeliveries() throws(InboxError) {
        let targets = places.compactMap(\.item.way.target)
        guard let first = targets.first else { return }
        let all = targets.dropFirst().reduce(inboxes(first)) { $0 + " UNION " + inboxes($1) }
        guard all.parameterCount <= SendBatch.mostParameters else {
            throw .invalid(
                field: "audience",
                reason: "the pushes have too many selectors together: send them in several requests",
                limit: Limit("selectors_per_push", limits.selectorsPerPush))
        }
        statements.append(
            """
            SELECT inbox_id FROM inboxes
            WHERE app_id = \(app) AND inbox_id IN (\(all))
            ORDER BY inbox_id FOR NO KEY UPDATE
            """)
        for index in places.indices {
            guard case .deliveries(let target, let isBesidePeople) = places[index].item.way else { continue }
            let message = places[index].item.send.message
            places[index].deliveries = statements.count
            statements.append(
                Deliveries.place(message, in: target, of: app, isBesidePeople: isBesidePeople)
                    + " SELECT inbox_id AS changed_inbox FROM placed")
            statements.append(
                Cap.enforce(
                    in: app,
                    inboxes: """
                        SELECT inbox_id FROM deliveries
                        WHERE app_id = \(app) AND message_id = \(message) AND NOT broadcast
                        """))
        }
    }

    /// What PostgreSQL takes, less what a statement adds to its targets.
    private static let mostParameters = SQL.parameterLimit - 100

    private func fanOut(
        _ send: Send, _ mode: DeliveryMode, _ reachesPeople: Bool, estimate: Int
    ) throws -> SQL {
        """
        INSERT INTO fanouts (app_id, message_id, audience, delivery_mode, reaches_people, estimate)
        VALUES (\(app), \(send.message), \(try StoredForm.text(send.audience)), \(mode), \(reachesPeople),
            \(Int64(estimate)))
        """
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
            RETURNING sent_ms, expires_ms, recipients
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
