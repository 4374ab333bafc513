import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import TestSupport
import Testing

@Suite struct ErasureTests {
    @Test func `what others hold, what a fan-out brings and what is sent to everyone survives a person`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", delivery: .person)
            let (ana, ben) = (try await room.device(in: acme), try await room.device(in: acme))
            try await room.login(ana, "ana", in: acme)
            try await room.login(ben, "ben", in: acme)
            let hers = try await room.send(to: .person("ana"), in: acme).message
            let both = try await room.send(to: .person("ana", "ben"), in: acme).message
            let broadcast = try await room.send(to: .everyone, in: acme).message
            let onItsWay = try await room.send(to: .person("ana"), in: acme).message
            try room.script(
                """
                INSERT INTO fanouts (app_id, message_id, audience, delivery_mode, estimate)
                VALUES (\(acme.app.rawValue), '\(onItsWay.text)', '{}', 1, 2)
                """)
            try await room.mark([], broadcasts: [broadcast], by: ana, as: .read)
            #expect(try await room.erase("ana", in: acme))
            #expect(try await room.store.message(hers, in: acme.app) == nil)
            for message in [both, broadcast, onItsWay] {
                #expect(try await room.store.message(message, in: acme.app) != nil)
            }
            #expect(try await room.ids(ben) == [both])
            #expect(try await room.ids(ana).isEmpty)
            #expect(try await room.erase("ana", in: acme) == false)
        }
    }

    @Test func `a device whose person is erased has another state, and another anonymous contact`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", delivery: .person)
            let phone = try await room.device(in: acme)
            try await room.login(phone, "ana", in: acme)
            let before = try await room.reader(phone).state
            let contact = try await room.store.association(of: phone.channel, in: acme.app)?.contact
            #expect(try await room.erase("ana", in: acme))
            let after = try await room.reader(phone).state
            #expect(after.person == nil && after.deviceRevision > before.deviceRevision)
            let association = try await room.store.association(of: phone.channel, in: acme.app)
            #expect(association?.namedUser == nil && association?.contact != contact)
        }
    }

    @Test func `nothing of a person is left, and nothing of another tenant's is touched`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", delivery: .person)
            let globex = try await room.app("globex", delivery: .person)
            for app in [acme, globex] {
                let phone = try await room.device(in: app)
                try await room.login(phone, "ana", in: app)
                try await room.tag("ana", in: app)
                try await room.send(to: .person("ana"), in: app)
            }
            #expect(try await room.erase("ana", in: acme))
            for table in ["named_users", "inbox_tags", "deliveries", "messages"] {
                #expect(try room.count(table, of: acme.app) == 0, "\(table)")
                #expect(try room.count(table, of: globex.app) == 1, "\(table)")
            }
            #expect(try room.count("inboxes", of: acme.app) == 1, "the device's")
        }
    }

    @Test
    func `log-ins, sends and tags that meet an erasure are done before it, after it, or refused for now`()
        async throws
    {
        try await withStores { one, other in
            let (acme, phones) = try await one.run { room in
                let acme = try await room.app("acme", delivery: .person)
                var phones: [Device] = []
                for _ in 0..<4 { phones.append(try await room.device(in: acme)) }
                return (acme, phones)
            }
            for round in 0..<15 {
                try await one.run { try await $0.login(phones[0], "ana", in: acme) }
                async let erased = other.run { try await $0.erase("ana", in: acme) }
                await withTaskGroup { group in
                    for phone in phones {
                        group.addTask {
                            await one.unlessUnavailable { try await $0.login(phone, "ana", in: acme) }
                        }
                        group.addTask {
                            await one.unlessUnavailable {
                                _ = try await $0.send(to: .person("ana"), in: acme)
                            }
                        }
                        group.addTask { await one.unlessUnavailable { try await $0.tag("ana", in: acme) } }
                    }
                }
                _ = try await erased
                let strays = try await one.run { room in
                    try room.number(
                        """
                        SELECT count(*) FROM deliveries d
                        WHERE NOT EXISTS (SELECT FROM inboxes i WHERE i.app_id = d.app_id AND i.inbox_id = d.inbox_id)
                        """)
                }
                #expect(strays == 0, "round \(round)")
            }
        }
    }
}

extension StoreRoom {
    fileprivate func erase(_ name: String, in app: AppCredentials) async throws -> Bool {
        try await store.erase(try NamedUserID(name), in: app.app, by: "test")
    }

    fileprivate func tag(_ name: String, in app: AppCredentials) async throws {
        var change = TagChange()
        change.add = ["crm": ["vip"]]
        _ = try await store.changeTags(change, ofPeople: [try NamedUserID(name)], in: app.app)
    }

    /// Does it, or finds out that it may be tried again; everything else fails the test.
    fileprivate nonisolated func unlessUnavailable(
        _ body: @escaping @Sendable (isolated StoreRoom) async throws -> Void
    ) async {
        do {
            try await run(body)
        } catch StoreFault.unavailable {
        } catch {
            Issue.record("\(error)")
        }
    }
}
