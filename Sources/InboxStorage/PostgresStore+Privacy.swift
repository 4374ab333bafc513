package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    /// - Complexity: as of any list.
    package func list(of person: NamedUserID, in app: AppID) async throws -> ListSnapshot? {
        try await faults {
            try await pipelines.reads.row(
                """
                SELECT \(ListStatement.columns(of: app))
                FROM (
                    SELECT app_id, inbox_id, 'infinity'::timestamptz AS expires_at
                    FROM named_users
                    WHERE app_id = \(app) AND named_user = \(person)) u \(ListStatement.joins(of: app))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                // Nobody's session: what is read of it is the app alone.
                try ListStatement.snapshot(&row, of: UserID(app: app, key: 0))
            }
        }
    }

    /// - Complexity: range scans of what the person's inbox has, and of the audit's lines about people.
    package func dossier(
        of person: NamedUserID, in app: AppID, for actor: String
    ) async throws -> Dossier? {
        let line = AuditLine(actor: actor, action: "named_user.export", subject: person.text)
        let statement = line.statement(in: app, ifAny: ErasureStatement.inbox(of: person, in: app))
        let isKnown = try await write([statement], for: app, changing: .none)[0].affected == 1
        guard isKnown, let record = try await namedUser(person, in: app) else { return nil }
        // One more than the limit says that there is more.
        let most = limits.exportRows
        var dossier = Dossier(
            person: record, messages: try await messages(of: person, in: app, most + 1),
            sessions: try await sessions(of: person, in: app, most + 1),
            events: try await events(of: person, in: app, most + 1),
            audit: try await audit(about: person, in: app, most + 1))
        dossier.cut(to: most)
        return dossier
    }

    package func holdings(of person: NamedUserID, in app: AppID) async throws -> PersonHoldings? {
        try await faults {
            try await pipelines.reads.row(
                """
                SELECT
                    (SELECT count(*) FROM inboxes WHERE app_id = \(app) AND person_id = p.inbox_id),
                    (SELECT count(*) FROM inbox_tags WHERE app_id = \(app) AND inbox_id = p.inbox_id),
                    (SELECT count(*) FROM deliveries WHERE app_id = \(app) AND inbox_id = p.inbox_id AND NOT broadcast),
                    (SELECT count(*) FROM (\(ErasureStatement.messages(of: person, in: app))) m),
                    (SELECT count(*) FROM inbox_users WHERE app_id = \(app) AND inbox_id = p.inbox_id),
                    (SELECT count(*) FROM client_events WHERE app_id = \(app) AND inbox_id = p.inbox_id)
                FROM (\(ErasureStatement.inbox(of: person, in: app))) p
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                func count() throws(PostgresError) -> Int { Int(try row.next(Int64.self)) }
                return PersonHoldings(
                    channels: try count(), tags: try count(),
                    messages: (all: try count(), ofNobodyElse: try count()), sessions: try count(),
                    events: try count())
            }
        }
    }

    /// - Complexity: walks what the person's inbox has, in one transaction that holds the app's row: broadcasts and
    ///   recalls wait so long.
    package func erase(_ person: NamedUserID, in app: AppID, by actor: String) async throws -> Bool {
        let statements = ErasureStatement.statements(person, in: app, by: actor)
        let results = try await write(statements, for: app, changing: .returned, on: pipelines.sends)
        return results.last?.affected == 1
    }

    private func messages(of person: NamedUserID, in app: AppID, _ most: Int) async throws -> [HeldMessage] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT d.message_id, d.unread, d.deleted, d.broadcast, d.marked_at
                FROM deliveries d
                WHERE d.app_id = \(app) AND d.inbox_id = (\(ErasureStatement.inbox(of: person, in: app)))
                ORDER BY d.sent_ms DESC, d.message_id
                LIMIT \(Int64(most))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                HeldMessage(
                    message: try row.next(), isUnread: try row.next(), isDeleted: try row.next(),
                    isBroadcast: try row.next(), marked: try row.next())
            }
        }
    }

    private func sessions(of person: NamedUserID, in app: AppID, _ most: Int) async throws -> [HeldSession] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT user_key, created_at, expires_at
                FROM inbox_users
                WHERE app_id = \(app) AND expires_at IS NOT NULL
                    AND inbox_id = (\(ErasureStatement.inbox(of: person, in: app)))
                ORDER BY created_at, user_key
                LIMIT \(Int64(most))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                HeldSession(
                    user: UserID(app: app, key: try row.next()), created: try row.next(),
                    expires: try row.next())
            }
        }
    }

    private func events(of person: NamedUserID, in app: AppID, _ most: Int) async throws -> [HeldEvent] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT event_id, type, message_id, happened_at, data::text, received_at
                FROM client_events
                WHERE app_id = \(app) AND inbox_id = (\(ErasureStatement.inbox(of: person, in: app)))
                ORDER BY received_at, event_id
                LIMIT \(Int64(most))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                let event = ClientEvent(
                    id: try row.next(), type: try row.next(), message: try row.next(), at: try row.next(),
                    dataJSON: try row.next())
                return HeldEvent(event: event, received: try row.next())
            }
        }
    }

    private func audit(about person: NamedUserID, in app: AppID, _ most: Int) async throws -> [AuditEntry] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT entry_id, at, actor, action, subject, detail::text
                FROM audit
                WHERE app_id = \(app) AND subject = \(person) AND action LIKE 'named\\_user.%'
                ORDER BY entry_id
                LIMIT \(Int64(most))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in try AuditEntry(row: &row) }
        }
    }
}

extension Dossier {
    /// Leaves at most so many of each kind.
    fileprivate mutating func cut(to most: Int) {
        isComplete = [messages.count, sessions.count, events.count, audit.count].allSatisfy { $0 <= most }
        messages.removeLast(max(0, messages.count - most))
        sessions.removeLast(max(0, sessions.count - most))
        events.removeLast(max(0, events.count - most))
        audit.removeLast(max(0, audit.count - most))
    }
}
