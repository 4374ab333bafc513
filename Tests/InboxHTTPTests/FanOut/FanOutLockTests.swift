import EventLoop
import HTTPCore
import InboxHTTP
import InboxModel
import InboxWire
import Postgres
import TestSupport
import Testing

/// Chunks that meet with other writers of their inboxes, and chunks that are sent ahead of others.
@Suite struct FanOutLockTests {
    @Test func `a chunk locks its inboxes ascending, however they lie on the disk`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(40, tag: "all")
            try await stage.layDescending()
            let id = try await stage.sendAll()
            let middle = try await stage.number("SELECT max(inbox_id) - 20 FROM channels")
            let holder = try await OpenTransaction.begin(
                "UPDATE inboxes SET revision = revision WHERE inbox_id = \(middle)", at: stage.url)
            try await stage.withPatientDeliverer { deliverer in
                async let chunk: Void = deliverer.take()
                try await stage.awaitLockWait(free: 20, above: middle)
                try await holder.rollBack()
                try await chunk
                try await deliverer.finish()
            }
            let holders = try await stage.holders(id)
            #expect(holders == 40)
        }
    }

    @Test
    func
        `rule 9: who is logged in counts as it is when the lock is free, beside what a device matches itself`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            try await stage.tagPerson("ana", on: try await stage.phone())
            let leaves = try await stage.phone()
            let stays = try await stage.phone(tag: "all")
            for phone in [leaves, stays] { try await stage.login(phone, "ana") }
            let id = try await stage.sendAll()
            let holder = try await OpenTransaction.begin(
                "UPDATE inboxes SET person_id = NULL, revision = revision + 1 WHERE person_id IS NOT NULL",
                at: stage.url)
            try await stage.withPatientDeliverer { deliverer in
                async let chunk: Void = deliverer.take()
                try await stage.awaitLockWait()
                try await holder.commit()
                try await chunk
                try await deliverer.finish()
            }
            #expect(try await leaves.list().ids == [], "it matched by its person alone")
            #expect(try await stays.list().ids == [id], "it matched throughout")
            let twice = try await stage.number(
                "SELECT count(*) FROM inboxes i JOIN deliveries d USING (app_id, inbox_id) WHERE i.revision < d.added"
            )
            #expect(twice == 0)
        }
    }

    @Test func `rule 9: behind a chunk whose inbox stays locked for long, each gets it once`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(50, tag: "all")
            let id = try await stage.sendAll()
            let holder = try await OpenTransaction.begin(
                "UPDATE inboxes SET revision = revision WHERE inbox_id = (SELECT min(inbox_id) + 7 FROM channels)",
                at: stage.url)
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take(2)
                let reached = try await stage.holders(id)
                #expect(reached == 5, "the chunk with the locked row is not delivered, and none behind it")
                try await holder.rollBack()
                try await deliverer.finish()
            }
            try await stage.expectOnce(id, by: 50)
        }
    }

    @Test func `rule 9: with an inbox in a chunk that has the message already, each gets it once`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(50, tag: "all")
            let id = try await stage.sendAll()
            // As when its delivery moved here with another inbox.
            try await stage.script(
                """
                INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types)
                SELECT app_id, message_id, (SELECT min(inbox_id) + 7 FROM channels), sent_ms, expires_ms, 0, 0, 32767
                FROM messages WHERE message_id = '\(id)'
                """)
            try await stage.withDeliverer(chunk: 5) { try await $0.finish() }
            try await stage.expectOnce(id, by: 50)
        }
    }

    @Test func `rule 9: behind a killed runner the rest is delivered once, in other chunks`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(50, tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { try await $0.take(3) }
            try await stage.script("UPDATE fanouts SET runs_until = now() - interval '1 second'")
            try await stage.withDeliverer(chunk: 7) { try await $0.finish() }
            try await stage.expectOnce(id, by: 50)
        }
    }

    @Test func `rule 10: a recall between two chunks ends the fan-out`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(50, tag: "all")
            let last = try await stage.phone(tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take(2)
                let recall = await stage.call(
                    .delete, "/v1/messages/\(id)",
                    DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret))
                #expect(recall.status == 204)
                let reached = try await stage.holders(id)
                try await deliverer.finish()
                let after = try await stage.holders(id)
                #expect(after == reached && reached == 10)
            }
            #expect(try await last.list().ids == [])
            let waiting = try await stage.number("SELECT count(*) FROM fanouts")
            #expect(waiting == 0)
        }
    }
}

extension DeviceStage {
    /// Makes the inboxes' rows lie in the opposite order of their ids.
    fileprivate func layDescending() async throws {
        try await script(
            """
            CREATE TEMPORARY TABLE kept AS SELECT * FROM inboxes;
            SET session_replication_role = replica;
            DELETE FROM inboxes;
            INSERT INTO inboxes SELECT * FROM kept ORDER BY inbox_id DESC
            """)
    }

    /// Runs `body` with a runner that takes all in one chunk, and waits for rows as long as the test needs.
    fileprivate func withPatientDeliverer(_ body: (Deliverer) async throws -> Void) async throws {
        var terms = FanOutTerms(chunk: 100)
        terms.lookEvery = .zero
        try await withDeliverer(Deliverer(self, terms: terms, lockWithin: .seconds(600)), body)
    }

    /// Returns when a statement of this database waits for another's lock, and so many inboxes above one are free then.
    ///
    /// In one statement: others may keep the thread of databases for long.
    fileprivate func awaitLockWait(free: Int = 0, above inbox: Int = .max) async throws {
        try await script(
            """
            DO $$
            BEGIN
                FOR attempt IN 1..5000 LOOP
                    PERFORM pg_stat_clear_snapshot();
                    EXIT WHEN EXISTS (
                        SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock');
                    PERFORM pg_sleep(0.001);
                    ASSERT attempt < 5000, 'nothing waits for a lock';
                END LOOP;
                ASSERT (SELECT count(*) FROM (
                    SELECT FROM inboxes WHERE inbox_id > \(inbox) FOR SHARE SKIP LOCKED) f) = \(free), 'others are locked';
            END $$
            """)
    }

    fileprivate func tagPerson(_ person: String, on phone: Phone) async throws {
        try await login(phone, person)
        let tagged = await call(
            .post, "/api/named_users/tags", App.basic(acme.key, acme.masterSecret),
            #"{"audience": {"named_user_id": "\#(person)"}, "add": {"device": "all"}}"#)
        try #require(tagged.status == 200, "\(tagged.text)")
    }

    /// So many inboxes have the message, raised for it once, and it is on its way no more.
    fileprivate func expectOnce(_ message: String, by count: Int) async throws {
        let (holders, highest) = try await (
            holders(message), number("SELECT max(revision) FROM inboxes")
        )
        #expect(holders == count && highest == 1)
        #expect(try await shown(message)["state"]?.asText == "sent")
    }
}
