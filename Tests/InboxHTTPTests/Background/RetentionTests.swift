import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Platform
import Postgres
import TestSupport
import Testing

/// What the clean-up takes away, and that nobody notices.
@Suite struct RetentionTests {
    private static let hour = Expiry.after(seconds: 3600)
    private static let long = Expiry.after(seconds: 300 * 86_400)

    @Test func `a message goes 30 days after its expiry, with all that belongs to it, and not before`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let device = try await stage.send(to: try phone.audience, Self.hour)
            let broadcast = try await stage.send(to: .everyone, Self.hour)
            let kept = try await stage.send(to: try phone.audience, Self.long)
            try await stage.send(to: .everyone, Self.long)
            #expect(await phone.batch("delete", [device]).status == 200)
            #expect(await phone.batch("unread", [broadcast, kept]).status == 200)
            try await stage.script(
                "INSERT INTO fetches SELECT app_id, message_id, inbox_id FROM deliveries")

            try await stage.advance(days: 30, seconds: 3600 - 60)
            #expect(try await stage.clean() == [])
            #expect(try await stage.rows(of: "messages", "deliveries", "fetches", "app_log") == [4, 3, 3, 2])

            try await stage.advance(days: 30, seconds: 2 * 3600)
            let log = "retention: purged 2 deliveries, 2 fetches, 2 messages, 1 log entries"
            #expect(try await stage.clean() == [log])
            #expect(try await stage.rows(of: "messages", "deliveries", "fetches", "app_log") == [2, 1, 1, 1])
        }
    }

    @Test func `a client sees nothing of it: the same date, the same list, the same count`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for expiry in [Self.hour, Self.long] {
                try await stage.send(to: .everyone, expiry)
                try await stage.send(to: try phone.audience, expiry)
            }
            try await stage.advance(days: 31)
            let before = try await phone.list()
            #expect(before.ids.count == 2 && before.badge == 2)
            try await stage.clean()
            #expect(try await stage.rows("messages") == 2)
            #expect(try await phone.list(since: before.lastModified).status == 304)
            try await stage.onAnotherInstance { other in
                let after = try await phone.on(other).list()
                #expect(after.ids == before.ids && after.badge == 2)
            }
        }
    }

    @Test func `a cursor that is still good hears of what expired, before and after the clean-up`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let device = try await stage.send(to: try phone.audience, Self.hour)
            let broadcast = try await stage.send(to: .everyone, Self.hour)
            try await stage.send(to: try phone.audience, Self.long)
            let first = try #require(try await phone.changes(since: "")["cursor"]?.asText)
            try await stage.makeOld(messages: 3, deliveriesEach: 1)
            try await stage.advance(days: 30, seconds: -1800)
            #expect(try await stage.clean() == ["retention: purged 3 deliveries, 3 messages"])
            let changes = try await phone.changes(since: first)
            #expect(changes["reset"] == .bool(false) && changes["unread_count"]?.asInteger == 1)
            guard case .array(let removed)? = changes["removed"] else { return }
            #expect(Set(removed.map(\.asText)) == [device, broadcast])

            let second = try #require(changes["cursor"]?.asText)
            try await stage.advance(days: 30, seconds: 2 * 3600)
            let log = "retention: purged 1 deliveries, 2 messages"
            let lines = try await stage.clean()
            #expect(lines == [log])
            let after = try await phone.changes(since: second)
            #expect(after["reset"] == .bool(false) && after["cursor"]?.asText == second)
            #expect(after["removed"] == .array([]) && after["changed"] == .array([]))
            #expect(after["unread_count"]?.asInteger == 1)
        }
    }

    @Test func `a thousand old messages go in small pieces, beside sends, and wait for nobody`() async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let new = try await stage.send(to: try phone.audience, Self.long)
            try await stage.makeOld(messages: 1001, deliveriesEach: 2)
            let holder = try await OpenTransaction.begin(
                "SELECT FROM apps FOR UPDATE; SELECT FROM inboxes FOR UPDATE; SELECT FROM channels FOR UPDATE",
                at: stage.url)
            let log = try await stage.clean()
            #expect(log == ["retention: purged 2002 deliveries, 1001 messages"])
            try await holder.rollBack()
            #expect(try await phone.list().ids == [new])

            try await stage.makeOld(messages: 1001, deliveriesEach: 2)
            try await stage.advance(seconds: 2 * 3600)
            async let cleaning = stage.clean()
            var sent = [new]
            for _ in 0..<10 { sent.append(try await stage.send(to: try phone.audience, Self.long)) }
            #expect(try await cleaning == ["retention: purged 2002 deliveries, 1001 messages"])
            #expect(try await Set(phone.list().ids) == Set(sent))
        }
    }

    @Test func `a delivery that another transaction holds stays, and its message with it`() async throws {
        try await DeviceStage.open { stage in
            try await stage.makeOld(messages: 3, deliveriesEach: 1)
            let holder = try await OpenTransaction.begin(
                "SELECT FROM deliveries ORDER BY message_id LIMIT 1 FOR UPDATE", at: stage.url)
            #expect(try await stage.clean() == ["retention: purged 2 deliveries, 2 messages"])
            try await holder.rollBack()
            #expect(try await stage.rows(of: "deliveries", "messages") == [1, 1])
        }
    }

    @Test func `what fell below the app's floor never returns, although the log is shorter`() async throws {
        try await DeviceStage.open { stage in
            try await stage.script("UPDATE apps SET inbox_cap = 3")
            let phone = try await Phone.register(stage)
            let lives = [Self.long, Self.long, Self.long, Self.hour, Self.hour, Self.hour]
            for (second, expiry) in lives.enumerated() {
                try await stage.advance(seconds: second)
                try await stage.send(to: .everyone, expiry)
            }
            try await stage.advance(days: 31)
            #expect(try await phone.list().ids == [])
            #expect(try await stage.clean() == ["retention: purged 3 messages, 2 log entries"])
            #expect(try await phone.idsElsewhere() == [])
            let new = try await stage.send(to: .everyone, Self.long)
            #expect(try await phone.idsElsewhere() == [new])
        }
    }

    @Test func `the entry that says where the floor is stays, also where it is not the newest`() async throws
    {
        try await DeviceStage.open { stage in
            try await stage.script("UPDATE apps SET inbox_cap = 1")
            let phone = try await Phone.register(stage)
            try await stage.send(to: .everyone, Self.long)
            try await stage.advance(seconds: 1)
            let carrier = try await stage.send(to: .everyone, Self.hour)
            try await stage.backend.recall(carrier, in: stage.acme)
            try await stage.advance(days: 31)
            try await stage.clean()
            #expect(try await stage.rows(of: "messages", "app_log") == [1, 3])
            #expect(try await phone.idsElsewhere() == [])
        }
    }

    @Test func `records go after their time, one app's as another's`() async throws {
        try await DeviceStage.open { stage in
            for (table, columns, values, age) in [
                (
                    "idempotency_keys", "key, request_digest, request, created_at", "'k', sha256('x'), '', ",
                    "1 day"
                ),
                ("used_proofs", "proof_digest, inbox_id, expires_at", "sha256('x'), 1, ", "1 day"),
                ("client_events", "inbox_id, event_id, type, received_at", "1, 'e', 'opened', ", "90 days"),
                ("audit", "actor, action, subject, at", "'cli', 'a', '', ", "400 days"),
            ] {
                for (sign, kept) in [("+", 2), ("-", 0)] {
                    let time = "statement_timestamp() - interval '\(age)' \(sign) interval '1 minute'"
                    try await stage.script(
                        "TRUNCATE \(table); INSERT INTO \(table) (app_id, \(columns)) SELECT app_id, \(values)\(time) FROM apps"
                    )
                    try await stage.script(
                        "UPDATE installation SET retention_begun = NULL, retention_until = NULL")
                    try await stage.clean()
                    #expect(try await stage.rows(table) == kept, "\(table) \(sign)")
                }
            }
        }
    }

    @Test func `sessions go a day after their end, and their person stays`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(await phone.login("ana").status == 200)
            try await stage.script(
                """
                INSERT INTO inbox_users (app_id, user_key, inbox_id, password_digest, expires_at)
                SELECT app_id, n, inbox_id, sha256('x'), statement_timestamp() + interval '1 minute' * (2 * n - 3)
                FROM named_users, generate_series(1, 3) n
                """)
            try await stage.advance(days: 1)
            #expect(try await stage.clean() == ["retention: purged 1 sessions"])
            #expect(try await stage.rows(of: "inbox_users", "named_users", "inboxes") == [3, 1, 2])
        }
    }

    @Test func `whatever call fails, the next step does the rest`() async throws {
        try await DeviceStage.open { stage in
            var number = 1
            var hasFailed = true
            while hasFailed {
                let phone = try await Phone.register(stage)
                try await stage.script(
                    "UPDATE channels SET uninstalled_at = statement_timestamp() - interval '31 days'")
                try await stage.makeOld(messages: 1, deliveriesEach: 1)
                try await stage.script(
                    "UPDATE installation SET retention_begun = NULL, retention_until = NULL, retention_ended = NULL"
                )
                let faults = FaultPlan()
                faults.fail(call: number, with: .unavailable("on purpose"))
                try await stage.withRunner(faults) { runner in
                    do {
                        _ = try await runner.step()
                    } catch is StoreFault {
                        _ = try await runner.step()
                    }
                }
                #expect(
                    try await stage.rows(of: "messages", "deliveries", "channels", "inboxes") == [0, 0, 0, 0])
                #expect(await phone.call(.get, "/messages/").status == 401)
                hasFailed = faults.hasFailed
                number += 1
            }
            #expect(number > 15)
        }
    }
}

extension Phone {
    /// What a client is told that holds a cursor.
    fileprivate func changes(since cursor: String) async throws -> JSON {
        let answer = await stage.call(.get, "/v1/inbox/changes?since=\(cursor)", basic)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.json
    }

    /// What an instance lists that starts now, and so knows nothing yet.
    fileprivate func idsElsewhere() async throws -> [String] {
        var ids: [String] = []
        try await stage.onAnotherInstance { other in ids = try await on(other).list().ids }
        return ids
    }
}

extension DeviceStage {
    @discardableResult
    fileprivate func send(to audience: Audience, _ expiry: Expiry) async throws -> String {
        try await backend.send(to: audience, in: acme) { $0.draft.expiry = expiry }
    }

    /// Makes messages of the first app that expired long ago, as a database that was never cleaned has them.
    fileprivate func makeOld(messages: Int, deliveriesEach: Int) async throws {
        try await script(
            """
            INSERT INTO messages (app_id, message_id, title, content_type, extra, sent_ms, expires_ms, device_types,
                body_bytes, broadcast, push, body)
            SELECT min(app_id), left(md5(random()::text), 22), 't', 'text/html', '{}', 1000 * n, 1000 * n, 32767, 0, false,
                '{}', '' FROM apps, generate_series(1, \(messages)) n GROUP BY n;
            INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types)
            SELECT app_id, message_id, 1000000 + n, sent_ms, expires_ms, 1, 1, 32767
            FROM messages, generate_series(1, \(deliveriesEach)) n WHERE expires_ms < 100000000
            """)
    }
}
