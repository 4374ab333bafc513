import Foundation
import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import TestSupport
import Testing

/// The product's numbered rules, as far as the store alone keeps them.
@Suite struct RuleTests {
    @Test func `rule 14: what a filter let through for one person is not marked for the next`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            try await room.login(phone, "ana", in: acme)
            let common = try await room.send(to: .everyone, in: acme).message
            let direct = try await room.send(to: .channel(phone), in: acme).message
            var hers = try await room.reader(phone)
            hers.filter = .namedUser(showsUntargeted: false)
            try await room.login(phone, "ben", in: acme)
            await #expect(throws: ReaderChanged.self) {
                try await room.store.mark([direct], broadcasts: [common], of: hers, as: .read, upTo: nil)
            }
            let snapshot = try await room.snapshot(phone)
            #expect(snapshot.deliveries.map(\.isUnread) == [true] && snapshot.marks.isEmpty)

            var his = try await room.reader(phone)
            his.filter = hers.filter
            try await room.store.mark([direct], broadcasts: [common], of: his, as: .read, upTo: nil)
            #expect(try await room.snapshot(phone).deliveries.map(\.isUnread) == [false])
        }
    }

    @Test func `rule 2: a change answered by one process is in the next list of another`() async throws {
        try await withStores { one, other in
            let (acme, phone) = try await one.run { room in
                let acme = try await room.app("acme")
                return (acme, try await room.device(in: acme))
            }
            for round in 0..<20 {
                let before = try await other.run { try await $0.reader(phone).state }
                let message = try await one.run { try await $0.send(to: .channel(phone), in: acme).message }
                let after = try await other.run { try await $0.snapshot(phone) }
                #expect(after.reader.state != before, "round \(round)")
                #expect(after.deliveries.contains { $0.message == message && $0.isUnread })
                try await other.run { try await $0.mark([message], by: phone, as: .delete) }
                #expect(try await one.run { try await $0.ids(phone) }.isEmpty)
            }
        }
    }

    @Test func `rule 4: deleted stays deleted, whatever is written later`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let message = try await room.send(to: .channel(phone), in: acme).message
            try await room.mark([message], by: phone, as: .delete)
            let state = try await room.reader(phone).state
            try await room.mark([message], by: phone, as: .read)
            try await room.mark([message], by: phone, as: .delete)
            #expect(try await room.ids(phone).isEmpty)
            #expect(try await room.reader(phone).state == state, "a mark without effect raises no revision")
        }
    }

    @Test func `rule 4: a broadcast that the device deleted stays deleted when a person logs in`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let message = try await room.send(to: .everyone, in: acme).message
            try await room.mark([], broadcasts: [message], by: phone, as: .delete)
            try await room.login(phone, "ana", in: acme)
            #expect(try await room.snapshot(phone).marks.map(\.isDeleted) == [true])
            try await room.mark([], broadcasts: [message], by: phone, as: .read)
            #expect(try await room.snapshot(phone).marks.contains { $0.isDeleted })
        }
    }

    @Test func `rule 5: marks of unknown, foreign and expired ids change nothing`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let globex = try await room.app("globex")
            let phone = try await room.device(in: acme)
            let other = try await room.device(in: acme)
            let stranger = try await room.device(in: globex)
            let foreign = try await room.send(to: .channel(stranger), in: globex).message
            let others = try await room.send(to: .channel(other), in: acme).message
            let broadcast = try await room.send(to: .everyone, in: globex).message
            let state = try await room.reader(phone).state
            try await room.mark(
                [MessageID(pushID: UUID()), foreign, others], broadcasts: [broadcast], by: phone, as: .delete)
            #expect(try await room.reader(phone).state == state)
            #expect(try await room.ids(other) == [others])
            #expect(try await room.ids(stranger) == [foreign])

            let own = try await room.send(to: .channel(phone), in: acme).message
            try room.script("UPDATE deliveries SET expires_ms = 1")
            let expired = try await room.reader(phone).state
            try await room.mark([own], by: phone, as: .read)
            #expect(try await room.reader(phone).state == expired)
        }
    }

    @Test func `rule 5: a mark is written to the device's and to the person's row of a broadcast`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let tablet = try await room.device(in: acme)
            try await room.login(phone, "ana", in: acme)
            try await room.login(tablet, "ana", in: acme)
            let message = try await room.send(to: .everyone, in: acme).message
            try await room.mark([], broadcasts: [message], by: phone, as: .read)
            #expect(try await room.snapshot(phone).marks.count == 2)
            #expect(try await room.snapshot(tablet).marks.map(\.isUnread) == [false], "the person's row")
            try await room.login(tablet, nil, in: acme)
            #expect(
                try await room.snapshot(tablet).marks.isEmpty,
                "after logout the device's own row counts alone")
            try await room.login(phone, nil, in: acme)
            #expect(try await room.snapshot(phone).marks.map(\.isUnread) == [false])
        }
    }

    @Test func `rule 7: in mode person a send to people is kept once and follows the person`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", delivery: .person)
            let phone = try await room.device(in: acme)
            let tablet = try await room.device(in: acme)
            try await room.login(phone, "ana", in: acme)
            let outcome = try await room.send(to: .person("ana", "nobody"), in: acme)
            #expect(outcome.recipients == 1)
            #expect(outcome.unknown == ["named_user:nobody"])
            #expect(try await room.ids(phone) == [outcome.message])
            #expect(try await room.ids(tablet).isEmpty)
            try await room.mark([outcome.message], by: phone, as: .read)
            try await room.login(tablet, "ana", in: acme)
            #expect(
                try await room.snapshot(tablet).deliveries
                    == [DeliveryRow(message: outcome.message, isUnread: false)])
            try await room.login(phone, nil, in: acme)
            #expect(try await room.ids(phone).isEmpty)
            try await room.login(phone, "ben", in: acme)
            #expect(try await room.ids(phone).isEmpty)
        }
    }

    @Test func `rule 7: in mode devices a send to people goes to the devices they are on, and stays there`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            try await room.login(phone, "ana", in: acme)
            let message = try await room.send(to: .person("ana"), in: acme).message
            try await room.login(phone, "ben", in: acme)
            #expect(try await room.ids(phone) == [message])
            #expect(try await room.send(to: .person("ana"), in: acme).recipients == 0)
            #expect(try await room.ids(phone) == [message])
        }
    }

    @Test func `rule 8: a broadcast is one row, seen by those who were there`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            for _ in 0..<3 { _ = try await room.device(in: acme) }
            let before = try room.number("SELECT count(*) FROM deliveries")
            let outcome = try await room.send(to: .everyone, in: acme)
            #expect(outcome.recipients == 4)
            #expect(try room.number("SELECT count(*) FROM deliveries") == before)
            #expect(try room.number("SELECT count(*) FROM app_log") == 1)
            let late = try await room.device(in: acme)
            let entry = try #require(
                try await room.store.log(of: acme.app, after: Revision(rawValue: 0)).entries.first)
            #expect(entry.revision > (try await room.reader(phone)).baseline)
            #expect(entry.revision <= (try await room.reader(late)).baseline)
            #expect(entry.revision <= (try await room.reader(phone)).state.appRevision)
        }
    }

    @Test func `rule 10: a recall takes the message from every inbox, once`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phones = [try await room.device(in: acme), try await room.device(in: acme)]
            let message = try await room.send(to: .channel(phones[0], phones[1]), in: acme).message
            #expect(try await room.store.recall(message, in: acme.app, by: "master") == .recalled)
            #expect(try await room.store.recall(message, in: acme.app, by: "master") == .recalledBefore)
            for phone in phones {
                #expect(try await room.ids(phone).isEmpty)
                let reader = try await room.reader(phone)
                let holding = try #require(try await room.store.holding(of: message, by: reader))
                #expect(!holding.isDelivered)
                #expect(!holding.isLive)
            }
        }
    }

    @Test func `rule 10: a broadcast, or more deliveries than the limit, is recalled by one row of the log`()
        async throws
    {
        var limits = Limits()
        limits.tombstonesPerRecall = 2
        try await StoreRoom.open(limits: limits) { room in
            let acme = try await room.app("acme")
            var phones: [Device] = []
            for _ in 0..<3 { phones.append(try await room.device(in: acme)) }
            let wide = try await room.send(to: .channels(phones.map(\.channel), type: nil), in: acme)
            let broadcast = try await room.send(to: .everyone, in: acme)
            for message in [wide, broadcast].map(\.message) {
                let state = try await room.reader(phones[0]).state
                #expect(try await room.store.recall(message, in: acme.app, by: "master") == .recalled)
                #expect(try await room.store.recall(message, in: acme.app, by: "master") == .recalledBefore)
                #expect(try await room.reader(phones[0]).state != state)
            }
            let log = try await room.store.log(of: acme.app, after: Revision(rawValue: 0)).entries.map(\.kind)
            #expect(log.contains(.recall(wide.message, expires: wide.expires)))
            #expect(log.contains(.recall(broadcast.message, expires: broadcast.expires)))
            #expect(try room.number("SELECT count(*) FROM deliveries WHERE deleted") == 0)
        }
    }

    @Test func `rule 12: a statement of one app sees no row of another, whatever it asks for`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let globex = try await room.app("globex")
            let phone = try await room.device(in: acme)
            try await room.login(phone, "ana", in: acme)
            #expect(try await room.store.channel(phone.channel, in: globex.app) == nil)
            #expect(try await room.store.association(of: phone.channel, in: globex.app) == nil)
            #expect(try await room.store.namedUser(NamedUserID("ana"), in: globex.app) == nil)
            #expect(
                try await room.store.update(phone.channel, Registration(deviceType: .ios), in: globex.app)
                    == false)
            #expect(
                try await room.store.logOut(phone.channel, .always, in: globex.app) == nil)
            #expect(
                try await room.send(to: .channel(phone), in: globex).unknown == [
                    "channel:\(phone.channel.text)"
                ])
            #expect(try await room.ids(phone).isEmpty)
        }
    }

    @Test func `rule 16: who is unknown is named, and nobody is reached by it`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let ghost = ChannelID(UUID())
            let outcome = try await room.send(
                to: .any([.person("nobody"), .channels([ghost], type: nil)]), in: acme)
            #expect(outcome.recipients == 0)
            #expect(outcome.unknown == ["named_user:nobody", "channel:\(ghost.text)"])
        }
    }

    @Test(arguments: [DeliveryMode.devices, .person])
    func `rule 16: who is told to be unknown is not reached, though they come to be meanwhile`(
        mode: DeliveryMode
    ) async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", delivery: mode)
            let phone = try await room.device(in: acme)
            try await room.login(phone, "somebody", in: acme)
            try room.script(
                """
                CREATE FUNCTION come_to_be() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    UPDATE named_users SET named_user = 'ana' WHERE named_user = 'somebody';
                    RETURN NEW;
                END $$;
                CREATE TRIGGER come_to_be BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION come_to_be()
                """)
            let first = try await room.send(to: .person("ana"), in: acme)
            #expect(first.unknown == ["named_user:ana"])
            #expect(first.recipients == 0)
            let second = try await room.send(to: .person("ana"), in: acme)
            #expect(second.unknown.isEmpty)
            #expect(second.recipients == 1)
        }
    }
}

/// Two stores on one database, as two server processes have them.
func withStores(_ body: @escaping @Sendable (StoreRoom, StoreRoom) async throws -> Void) async throws {
    try await withDatabase(.inbox) { url in
        try await StoreRoom.open(url: url) { one in
            try await StoreRoom.open(url: url, audit: one.audit) { other in try await body(one, other) }
        }
    }
}

extension StoreRoom {
    /// Runs `body` on the room's own loop.
    func run<Result: Sendable>(_ body: @escaping @Sendable (isolated StoreRoom) async throws -> Result)
        async rethrows -> Result
    {
        try await body(self)
    }
}
