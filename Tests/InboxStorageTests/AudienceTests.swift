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

    @Test(arguments: [DeliveryMode.devices, .person])
    func `inboxes judged one by one match as those that are looked for`(mode: DeliveryMode) async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", delivery: mode)
            var plan = TagChange()
            plan.add = ["device": ["a"], "g": ["b"]]
            for (number, tags) in [["a"], ["b"], ["a", "b"], [], ["c"], ["a", "c"]].enumerated() {
                let device = try await room.device(in: acme, number % 2 == 0 ? .ios : .android, tags: tags)
                // Person 2 is on none of them any more.
                for name in number > 1 ? ["person 2", "person \(number % 2)"] : [] {
                    try await room.login(device, name, in: acme)
                }
                if number % 3 == 0 { try await room.addTags(["b", "c"], to: device, group: "g", in: acme) }
            }
            _ = try await room.store.changeTags(
                plan, ofPeople: [NamedUserID("person 0"), NamedUserID("person 2")], in: acme.app)
            var random = SeededRandom(seed: 7)
            for _ in 0..<200 {
                let isOfPeople = Bool.random(using: &random)
                let audience = Audience.random(depth: 3, isOfPeople: isOfPeople, using: &random)
                let types = DeviceTypes(rawValue: [1, 2, 3, .max].randomElement(using: &random) ?? 1)
                let (chunk, all) = try await (
                    room.chunk(audience, types, in: acme), room.matches(audience, types, in: acme)
                )
                #expect(chunk == all, "\(audience)")
            }
        }
    }

    @Test func `rule 7: people are met by their names and tags, and devices by theirs or both together`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", delivery: .person)
            // Ana, gold, is on the phone; ben, gold and silver, is on none; cleo, tin, is on the tablet.
            let phone = try await room.device(in: acme)
            let tablet = try await room.device(in: acme)
            let spare = try await room.device(in: acme)
            for name in ["ben", "cleo", "ana"] { try await room.login(phone, name, in: acme) }
            try await room.tag(["ana": ["gold"], "ben": ["gold", "silver"], "cleo": ["tin"]], in: acme)
            try await room.login(tablet, "cleo", in: acme)
            for device in [tablet, spare] {
                try await room.addTags(["silver"], to: device, group: "g", in: acme)
            }
            let devices = ["phone": phone, "tablet": tablet, "spare": spare]
            let (gold, silver, tin) = (Audience.crew("gold"), Audience.crew("silver"), Audience.crew("tin"))
            let expected: [(Audience, people: Set<String>, devices: Set<String>)] = [
                (gold, ["ana", "ben"], []), (silver, ["ben"], ["tablet", "spare"]),
                (.any([gold, tin]), ["ana", "ben", "cleo"], []),
                (.any([.person("cleo"), silver]), ["ben", "cleo"], ["tablet", "spare"]),
                (.all([gold, silver]), ["ben"], []), (.all([gold, .not(silver)]), ["ana"], []),
                (.all([silver, .not(gold)]), [], ["tablet", "spare"]),
                (.all([silver, .not(.person("ben"))]), [], ["tablet", "spare"]),
                (.all([silver, .not(tin)]), ["ben"], ["spare"]),
                (.all([silver, tin]), [], ["tablet"]), (.all([.person("cleo"), silver]), [], ["tablet"]),
                (.all([.person("ana", "ben"), .person("ben", "cleo")]), ["ben"], []),
                (.all([.person("ana", "ben"), .not(.person("ben"))]), ["ana"], []),
                (.all([.any([gold, tin]), .any([.person("ana"), silver])]), ["ana", "ben"], ["tablet"]),
                (.all([gold, .person("nobody")]), [], []),
                (.all([gold, .not(.person("nobody"))]), ["ana", "ben"], []),
                // Of anything beside people, devices alone get it.
                (.not(gold), [], ["tablet", "spare"]),
                (.any([gold, .channel(spare)]), [], ["phone", "spare"]),
                (.any([.crew("gold"), .tags(["x"], group: "device")]), [], ["phone"]),
            ]
            for (audience, people, held) in expected {
                let sent = try await room.send(to: audience, in: acme)
                #expect(sent.recipients == people.count + held.count, "\(audience)")
                #expect(try await room.store.reach(audience, .all, for: acme).recipients == sent.recipients)
                #expect(try await room.matches(audience, in: acme) == room.chunk(audience, in: acme))
                #expect(try room.holders(sent.message, among: devices) == people.union(held), "\(audience)")
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
    /// Gives people tags of the group `g`.
    fileprivate func tag(_ people: [String: [String]], in app: AppCredentials) async throws {
        for (name, tags) in people {
            var change = TagChange()
            change.add = ["g": tags]
            _ = try await store.changeTags(change, ofPeople: [NamedUserID(name)], in: app.app)
        }
    }

    /// Who holds a message: people by their names, devices by those they are given here.
    fileprivate func holders(_ message: MessageID, among devices: [String: Device]) throws -> Set<String> {
        let count: SQL = "SELECT count(*) FROM deliveries WHERE message_id = \(message) AND inbox_id = "
        let people = try ["ana", "ben", "cleo"].filter { name in
            try number(count + "(SELECT inbox_id FROM named_users WHERE named_user = \(name))") == 1
        }
        let channels = try devices.filter { _, device in
            try number(count + "(SELECT inbox_id FROM channels WHERE channel_id = \(device.channel))") == 1
        }
        return Set(people + channels.keys)
    }

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
    fileprivate static func crew(_ tag: String) -> Audience { .tags([tag], group: "g") }

    /// An audience of a few tags and people, joined in any way.
    ///
    /// - Parameter isOfPeople: without the devices' own tags, and with what *not* leaves out of something.
    fileprivate static func random(
        depth: Int, isOfPeople: Bool, using random: inout SeededRandom
    ) -> Audience {
        func part() -> Audience { .random(depth: depth - 1, isOfPeople: isOfPeople, using: &random) }
        switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
        case 0:
            let tag = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            return .tags([tag], group: isOfPeople ? "g" : "device")
        case 1: return .tags(["b", "x"], group: "g")
        case 2: return .person("person \(Int.random(in: 0...2, using: &random))")
        case 3: return isOfPeople ? .all([part(), .not(part())]) : .not(part())
        case 4: return .all((0...Int.random(in: 0...2, using: &random)).map { _ in part() })
        default: return .any((0...Int.random(in: 0...2, using: &random)).map { _ in part() })
        }
    }
}
