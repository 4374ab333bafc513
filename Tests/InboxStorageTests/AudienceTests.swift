import Foundation
import InboxModel
import InboxService
import Platform
import Postgres
import Testing

@testable import InboxStorage

/// Who gets what is sent to an audience.
@Suite struct AudienceTests {
    @Test func `selectors and their combinations reach exactly the channels they name`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme, .ios, tags: ["vip"])
            let tablet = try await room.device(in: acme, .android, tags: ["vip", "off"])
            let watch = try await room.device(in: acme, .ios)
            try await room.login(watch, "ana", in: acme)
            var plan = TagChange()
            plan.add = ["plan": ["gold"]]
            _ = try await room.store.changeTags(plan, ofPeople: [NamedUserID("ana")], in: acme.app)
            let vip = Audience.tags(["vip"], group: "device")
            let gold = Audience.tags(["gold"], group: "plan")
            let expected: [(Audience, [Device])] = [
                (vip, [phone, tablet]), (gold, [watch]), (.any([vip, gold]), [phone, tablet, watch]),
                (.all([vip, .not(.tags(["off"], group: "device"))]), [phone]), (.not(vip), [watch]),
                (.all([vip, gold]), []), (.tags(["gold"], group: "device"), []),
                (.channels([phone.channel, tablet.channel], type: .android), [tablet]),
                (.any([vip, .person("ana"), .channel(phone)]), [phone, tablet, watch]),
                (.all([.person("ana"), gold]), [watch]), (.not(.not(gold)), [watch]),
                (.all([.not(vip), .not(gold)]), []),
                (.all([.not(gold), vip, .not(.channel(phone))]), [tablet]),
                (.all([.not(.all([vip, .not(.channel(phone))])), .any([vip, gold])]), [phone, watch]),
                (.any([.channel(phone), vip, .channel(watch), .not(vip)]), [phone, tablet, watch]),
                (.not(.any([.channel(phone), .person("ana"), .channel(phone)])), [tablet]),
            ]
            for (audience, devices) in expected {
                let outcome = try await room.send(to: audience, in: acme)
                #expect(outcome.recipients == devices.count, "\(audience)")
                let reach = try await room.store.reach(audience, .all, for: acme)
                #expect(reach.recipients == devices.count, "\(audience)")
                #expect(try await room.chunk(audience, in: acme).count == devices.count, "\(audience)")
                for device in [phone, tablet, watch] {
                    let isReached = devices.contains { $0.channel == device.channel }
                    #expect(try await room.ids(device).contains(outcome.message) == isReached, "\(audience)")
                }
            }
        }
    }

    @Test func `a thousand selectors that exclude are planned as a few`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let excluded = (0..<999).map { Audience.not(.tags(["t\($0)"], group: "device")) }
            let query = AudienceQuery(app: acme.app, audience: .all(excluded), deviceTypes: .all)
            #expect(
                query.devices.text.ranges(of: "tag = ANY").count == 2,
                "one selector: by the device or its person")
            let outcome = try await room.send(to: .all(excluded), in: acme)
            #expect(outcome.recipients == 1)
            #expect(try await room.ids(phone).count == 1)
        }
    }

    @Test func `inboxes judged one by one match as those that are looked for`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            var plan = TagChange()
            plan.add = ["device": ["a"], "g": ["b"]]
            for (number, tags) in [["a"], ["b"], ["a", "b"], [], ["c"], ["a", "c"]].enumerated() {
                let device = try await room.device(in: acme, number % 2 == 0 ? .ios : .android, tags: tags)
                if number > 1 { try await room.login(device, "person \(number % 2)", in: acme) }
            }
            _ = try await room.store.changeTags(plan, ofPeople: [NamedUserID("person 0")], in: acme.app)
            var random = SeededRandom(seed: 7)
            for _ in 0..<150 {
                let audience = Audience.random(depth: 3, using: &random)
                let types = DeviceTypes(rawValue: [1, 2, 3, .max].randomElement(using: &random) ?? 1)
                let (chunk, all) = try await (
                    room.chunk(audience, types, in: acme), room.matches(audience, types, in: acme)
                )
                #expect(chunk == all, "\(audience)")
            }
        }
    }

    @Test func `device types narrow every audience`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme, .ios, tags: ["vip"])
            let tablet = try await room.device(in: acme, .android, tags: ["vip"])
            let message = try await room.send(
                to: .tags(["vip"], group: "device"), in: acme, types: DeviceTypes(.android)
            ).message
            #expect(try await room.ids(phone).isEmpty)
            #expect(try await room.ids(tablet) == [message])
            #expect(try await room.send(to: .everyone, in: acme, types: DeviceTypes(.ios)).recipients == 1)
        }
    }

    @Test func `a device that leaves while its person is written to does not get the message`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            for _ in 0..<30 {
                try await room.login(phone, "ana", in: acme)
                async let outcome = room.send(to: .person("ana"), in: acme)
                async let leaving: Void = room.login(phone, "ben", in: acme)
                let (sent, _) = try await (outcome, leaving)
                let isThere = try await room.ids(phone).contains(sent.message)
                #expect(isThere == (sent.recipients == 1))
            }
        }
    }

    @Test func `a tag that is set replaces its group alone, removed ones go, and unknown owners are named`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme, tags: ["a", "b"])
            var change = TagChange()
            change.set = ["plan": ["gold", "silver"]]
            let ghost = ChannelID(UUID())
            #expect(
                try await room.store.changeTags(change, ofChannels: [ghost, phone.channel], in: acme.app) == [
                    ghost
                ])
            change = TagChange()
            change.set = ["plan": ["tin"]]
            change.remove = ["device": ["a"]]
            _ = try await room.store.changeTags(change, ofChannels: [phone.channel], in: acme.app)
            let tags = try await room.store.channel(phone.channel, in: acme.app)?.tags
            #expect(tags == ["device": ["b"], "plan": ["tin"]])
        }
    }

    @Test func `more tags than a channel may have are refused whole, and as many as it may have are not`()
        async throws
    {
        var limits = Limits()
        limits.tagsPerChannel = 3
        try await StoreRoom.open(limits: limits) { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme, tags: ["a", "b"])
            try await room.addTags(["c"], to: phone, in: acme)
            await #expect(throws: InboxError.self) {
                try await room.addTags(["a", "d"], to: phone, in: acme)
            }
            #expect(
                try await room.store.channel(phone.channel, in: acme.app)?.tags == [
                    "device": ["a", "b", "c"]
                ])
        }
    }

    @Test func `the longest unseen channel of a person who has too many is logged out`() async throws {
        var limits = Limits()
        limits.channelsPerNamedUser = 2
        try await StoreRoom.open(limits: limits) { room in
            let acme = try await room.app("acme")
            var devices: [Device] = []
            for _ in 0..<3 {
                devices.append(try await room.device(in: acme))
                try await room.login(devices[devices.count - 1], "ana", in: acme)
            }
            let owners = try await room.store.namedUser(NamedUserID("ana"), in: acme.app)?.channels.map(
                \.channel)
            #expect(Set(owners ?? []) == Set(devices.dropFirst().map(\.channel)))
        }
    }

    @Test func `several sends are done in one transaction or not at all`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let good = room.draft("good", to: .channel(phone))
            let outcomes = try await room.store.send(
                [
                    good, room.draft("all", to: .everyone),
                    room.draft("tag", to: .tags(["x"], group: "device")),
                ],
                for: acme)
            #expect(outcomes.map(\.recipients) == [1, 1, 0])
            #expect(outcomes.map(\.message)[0] == good.message)
            let another = room.draft("another", to: .channel(phone))
            await #expect(throws: StoreFault.self) { try await room.send([another, good], in: acme) }
            #expect(try await room.ids(phone) == [good.message])
            #expect(try room.number("SELECT count(*) FROM messages") == 3)
        }
    }

    @Test func `a life longer than the limit, or never to end, is cut to it and said so`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let year: Int64 = 365 * 86_400
            for (expiry, seconds, isClamped) in [
                (Expiry.longest, year, false), (.never, year, true), (.after(seconds: 60), 60, false),
                (.after(seconds: year), year, false),
                (.after(seconds: .max), year, true), (.at(Instant(seconds: 9_000_000_000)), year, true),
            ] {
                let outcome = try await room.send(to: .everyone, in: acme, expiry: expiry)
                #expect(outcome.expires.seconds - outcome.sent.seconds == seconds, "\(expiry)")
                #expect(outcome.isExpiryClamped == isClamped, "\(expiry)")
            }
        }
    }
}

extension StoreRoom {
    /// Inboxes of an audience as they are looked for.
    fileprivate func matches(
        _ audience: Audience, _ types: DeviceTypes = .all, in app: AppCredentials
    ) async throws -> [Int64] {
        let query = AudienceQuery(app: app.app, audience: audience, deviceTypes: types)
        let recipients = try await found(query.recipients(app.deliveryMode), in: app)
        #expect(try await found(query.target(app.deliveryMode), in: app) == recipients)
        return recipients
    }

    /// The same, as each of all inboxes is judged.
    fileprivate func chunk(
        _ audience: Audience, _ types: DeviceTypes = .all, in app: AppCredentials
    ) async throws -> [Int64] {
        let inboxes = try (1...number("SELECT max(inbox_id) FROM inboxes")).map { InboxID(rawValue: $0) }
        let query = AudienceQuery(app: app.app, audience: audience, deviceTypes: types)
        return try await found(
            """
            SELECT i.inbox_id FROM inboxes i
            WHERE i.app_id = \(app.app) AND i.inbox_id = ANY(\(inboxes)) AND \(query.matches(app.deliveryMode))
            """, in: app)
    }

    private func found(_ target: SQL, in app: AppCredentials) async throws -> [Int64] {
        try await store.pipelines.reads.rows(
            "SELECT inbox_id FROM (\(target)) t ORDER BY inbox_id", scope: PostgresStore.scope(app.app)
        ) { (row) throws(PostgresError) in try row.next(Int64.self) }
    }
}

extension Audience {
    /// An audience of a few tags and people, joined in any way.
    fileprivate static func random(depth: Int, using random: inout SeededRandom) -> Audience {
        func part() -> Audience { .random(depth: depth - 1, using: &random) }
        switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
        case 0: return .tags([["a", "b", "c"].randomElement(using: &random) ?? "a"], group: "device")
        case 1: return .tags(["b", "x"], group: "g")
        case 2: return .person("person \(Int.random(in: 0...2, using: &random))")
        case 3: return .not(part())
        case 4: return .all((0...Int.random(in: 0...2, using: &random)).map { _ in part() })
        default: return .any((0...Int.random(in: 0...2, using: &random)).map { _ in part() })
        }
    }
}
