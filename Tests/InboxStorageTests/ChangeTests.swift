import Foundation
import InboxModel
import InboxService
import InboxStorage
import TestSupport
import Testing

/// What a store tells those who watch inboxes; that it forgets nothing is held by `StoreRoom` in every test.
@Suite struct ChangeTests {
    @Test func `a mark tells of the reader's inboxes, and a mark that changes nothing of none`() async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            try await room.login(phone, "ana", in: acme)
            let message = try await room.send(to: .channel(phone), in: acme).message
            let state = try await room.reader(phone).state
            let inboxes = [state.device, try #require(state.person)].map { InboxKey($0, of: acme.app) }
            _ = room.audit.takeBatches()
            try await room.mark([message], by: phone, as: .read)
            #expect(room.audit.takeBatches().map(\.inboxes) == [inboxes])
            try await room.mark([message], by: phone, as: .read)
            #expect(room.audit.takeBatches() == [])
        }
    }

    @Test func `a send tells of the inboxes that got it, of one app`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let globex = try await room.app("globex")
            let phones = [try await room.device(in: acme), try await room.device(in: acme)]
            _ = try await room.device(in: globex)
            var keys: Set<InboxKey> = []
            for phone in phones {
                keys.insert(InboxKey(try await room.reader(phone).state.device, of: acme.app))
            }
            _ = room.audit.takeBatches()
            try await room.send(to: .channel(phones[0], phones[1]), in: acme)
            let batches = room.audit.takeBatches()
            #expect(batches.map { Set($0.inboxes) } == [keys] && batches[0].apps.isEmpty)
        }
    }

    @Test func `a broadcast tells of its app and no inbox, and with another message of its inboxes too`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let device = InboxKey(try await room.reader(phone).state.device, of: acme.app)
            _ = room.audit.takeBatches()
            try await room.send(to: .everyone, in: acme)
            var all = HintBatch()
            all.add(acme.app)
            #expect(room.audit.takeBatches() == [all])
            _ = try await room.send(
                [room.draft(to: .everyone), room.draft(to: .channel(phone))], in: acme)
            let batches = room.audit.takeBatches()
            #expect(batches.flatMap(\.inboxes) == [device] && batches.contains { $0.apps == [acme.app] })
        }
    }

    @Test func `a chunk of a fan-out tells of the inboxes that got it, and one that does nothing of none`()
        async throws
    {
        var limits = Limits()
        limits.recipientsInRequest = 1
        try await StoreRoom.open(limits: limits) { room in
            let acme = try await room.app("acme")
            var inboxes: [InboxID] = []
            for _ in 0..<3 {
                let phone = try await room.device(in: acme, tags: ["vip"])
                inboxes.append(try await room.reader(phone).state.device)
            }
            _ = room.audit.takeBatches()
            let sent = try await room.send(to: .tags(["vip"], group: "device"), in: acme)
            #expect(sent.estimate == 3 && room.audit.takeBatches() == [], "nobody has it yet")
            let id = FanOutID(app: acme.app, message: sent.message)
            let fanOut = try #require(try await room.fanOuts.fanOut(id))
            let (one, other) = (UUID(), UUID())
            let candidates = try await room.fanOuts.candidates(of: fanOut, most: 2)
            #expect(candidates == Array(inboxes.prefix(2)))
            #expect(try await room.fanOuts.deliver(fanOut, to: candidates, by: one) == .delivered)
            let told = Set(room.audit.takeBatches().flatMap(\.inboxes))
            #expect(told == Set(candidates.map { InboxKey($0, of: acme.app) }))
            for runner in [one, other] {
                #expect(try await room.fanOuts.deliver(fanOut, to: candidates, by: runner) == .forestalled)
            }
            var ahead = fanOut
            ahead.position = inboxes[1]
            #expect(try await room.fanOuts.deliver(ahead, to: [inboxes[2]], by: other) == .forestalled)
            #expect(room.audit.takeBatches() == [])
            #expect(try await room.store.recall(sent.message, in: acme.app, by: "master") == .recalled)
            #expect(room.audit.takeBatches().map(\.apps) == [[acme.app]])
            #expect(try await room.fanOuts.deliver(ahead, to: [inboxes[2]], by: one) == .over)
        }
    }

    @Test func `what is refused or fails tells nobody`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            _ = room.audit.takeBatches()
            try room.script("ALTER TABLE deliveries ADD CONSTRAINT nothing_fits CHECK (false) NOT VALID")
            await #expect(throws: StoreFault.self) {
                try await room.send([room.draft(to: .channel(phone))], in: acme)
            }
            #expect(
                try await room.store.recall(MessageID(high: 1, low: 1), in: acme.app, by: "master")
                    == .unknown)
            #expect(room.audit.takeBatches() == [])
        }
    }

    @Test func `a user who moves to another channel tells of both inboxes, and of whom it displaces`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let one = try await room.device(in: acme)
            let other = try await room.device(in: acme)
            let states = (try await room.reader(one).state, try await room.reader(other).state)
            _ = room.audit.takeBatches()
            try await room.attach(other.channel, to: one)
            let inboxes = Set(room.audit.takeBatches().flatMap(\.inboxes))
            #expect(
                inboxes == [InboxKey(states.0.device, of: acme.app), InboxKey(states.1.device, of: acme.app)])
            try await room.createUser(in: acme, for: other.channel)
            #expect(
                room.audit.takeBatches().flatMap(\.inboxes) == [InboxKey(states.1.device, of: acme.app)],
                "the user before has another inbox now")
        }
    }

    @Test func `a change that nobody is told of is noticed by every test`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let inbox = try await room.reader(phone).state.device
            try room.script(
                """
                SET ROLE martlet_app;
                SET martlet.app_id = \(acme.app.rawValue);
                UPDATE inboxes SET revision = revision + 1 WHERE inbox_id = \(inbox.rawValue);
                UPDATE apps SET settings_revision = settings_revision + 1;
                RESET ROLE
                """)
            #expect(
                try room.untold() == ["\(acme.app.rawValue)/0", "\(acme.app.rawValue)/\(inbox.rawValue)"])
            room.audit.hints.changed([inbox], of: acme.app)
            room.audit.hints.changed(acme.app)
            #expect(try room.untold() == [])
        }
    }

    @Test func `registrations, tags and dates tell nobody`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme, tags: ["a"])
            try await room.addTags(["b"], to: phone, in: acme)
            #expect(try await room.store.update(phone.channel, Registration(deviceType: .ios), in: acme.app))
            _ = try await room.save([1], of: phone)
            #expect(room.audit.takeBatches() == [])
        }
    }
}
