package import InboxModel
package import InboxService
import Platform
import Postgres

/// Keys of requests: claimed by the first statement of the transaction that does what was asked, and good for 24 hours.
///
/// Whoever comes second waits for the first to end, and is then forestalled; a transaction that fails keeps no key.
enum Idempotency {
    /// What a key keeps that is known before the transaction: of it and what the transaction finds answers are made
    /// again.
    struct Kept: Codable {
        var memo: String
        var sends: [KeptSend] = []
    }

    struct KeptSend: Codable {
        var message: String
        var unknown: [String]
        var expiry: Expiry
    }

    /// What `martlet_forestalled` says of a key that another request has.
    static let forestalledBy = "idempotency_key"

    /// Takes the key, or fails the transaction; a key that is a day old counts for nothing.
    static func claim(_ request: RepeatableRequest, keeping kept: Kept, in app: AppID) throws -> SQL {
        """
        WITH claimed AS (
            INSERT INTO idempotency_keys AS k (app_id, key, request_digest, request)
            VALUES (\(app), \(request.key.text), \(request.digest), \(try StoredForm.text(kept)))
            ON CONFLICT (app_id, key) DO UPDATE
            SET request_digest = excluded.request_digest, request = excluded.request, outcome = NULL,
                created_at = excluded.created_at
            WHERE k.created_at <= martlet_now() - interval '24 hours'
            RETURNING 1
        )
        SELECT martlet_forestalled(\(forestalledBy)) WHERE NOT EXISTS (SELECT FROM claimed)
        """
    }

    /// Keeps what became of the messages, at the end of their transaction.
    ///
    /// - Complexity: counts the deliveries of those that were delivered in it.
    static func settle(_ request: RepeatableRequest, _ messages: [MessageID], in app: AppID) -> SQL {
        """
        UPDATE idempotency_keys SET outcome = (
            SELECT json_agg(json_build_array(m.sent_ms, m.expires_ms,
                coalesce(m.recipients, f.estimate, (
                    SELECT count(*) FROM deliveries WHERE app_id = m.app_id AND message_id = m.message_id)),
                f.estimate)
                ORDER BY s.number)
            FROM unnest(\(messages)) WITH ORDINALITY s (message_id, number)
            JOIN messages m ON m.app_id = \(app) AND m.message_id = s.message_id
            LEFT JOIN fanouts f ON f.app_id = m.app_id AND f.message_id = m.message_id)::text
        WHERE app_id = \(app) AND key = \(request.key.text)
        """
    }

    /// What the key of a request keeps, if it is not a day old.
    static func find(_ request: RepeatableRequest, in app: AppID) -> SQL {
        """
        SELECT request_digest, request, outcome
        FROM idempotency_keys
        WHERE app_id = \(app) AND key = \(request.key.text)
            AND created_at > martlet_now() - interval '24 hours'
        """
    }

    /// The first answer, out of what was kept and what was found.
    static func firstAnswer(_ request: String, _ outcome: String?) throws -> FirstAnswer {
        let kept = try StoredForm.value(Kept.self, of: request)
        let found = try outcome.map { try StoredForm.value([[Int64?]].self, of: $0) } ?? []
        guard found.count == kept.sends.count, found.allSatisfy({ $0.count == 4 }) else {
            throw StoreFault.broken("a key keeps other sends than were found")
        }
        return FirstAnswer(
            memo: kept.memo,
            outcomes: try zip(kept.sends, found).map { send, numbers in try send.outcome(numbers) })
    }
}

extension Idempotency.KeptSend {
    init(_ send: Send, unknown: [String]) {
        message = send.message.text
        self.unknown = unknown
        expiry = send.draft.expiry
    }

    fileprivate func outcome(_ numbers: [Int64?]) throws -> SendOutcome {
        guard let id = MessageID(wire: message), let sent = numbers[0], let expires = numbers[1],
            let recipients = numbers[2]
        else { throw StoreFault.broken("a key keeps a send that is none") }
        let times = (sent: Instant(milliseconds: sent), expires: Instant(milliseconds: expires))
        return SendOutcome(
            message: id, recipients: Int(recipients), estimate: numbers[3].map { Int($0) }, unknown: unknown,
            sent: times.sent, expires: times.expires,
            isExpiryClamped: expiry.isClamped(sent: times.sent, expires: times.expires))
    }
}

extension PostgresStore {
    package func firstAnswer(to request: RepeatableRequest, in app: AppID) async throws -> FirstAnswer? {
        let found = try await faults {
            try await pipelines.reads.row(
                Idempotency.find(request, in: app), scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                (
                    digest: try row.next([UInt8].self), request: try row.next(String.self),
                    outcome: try row.next(String?.self)
                )
            }
        }
        guard let found else { return nil }
        guard found.digest == request.digest else {
            throw InboxError.conflict(reason: "the Idempotency-Key came with another request before")
        }
        return try Idempotency.firstAnswer(found.request, found.outcome)
    }

    /// What was answered under a key to whoever came first, for one that was forestalled.
    func forestaller(of request: RepeatableRequest, in app: AppID) async throws -> FirstAnswer {
        guard let first = try await firstAnswer(to: request, in: app) else {
            throw StoreFault.unavailable("a key was taken and is free again")
        }
        return first
    }
}
