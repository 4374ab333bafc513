import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Testing

/// Rule 7: what is sent to tags of people follows the people, in delivery mode `person`.
@Suite struct PersonTagTests {
    private static let gold = #"{"tag":"gold","group":"plan"}"#

    @Test func `rule 7: a person's tag is stored once, shown on all devices, and read on all at once`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let (phone, tablet) = try await (stage.phone(), stage.phone())
            for device in [phone, tablet] { try await stage.login(device, "ana") }
            try await stage.tag(people: ["ana"], "gold")
            let sent = try await stage.send(to: Self.gold)
            #expect(sent["recipients"]?.integer == 1 && sent["unknown"] == .array([]))
            let id = try #require(sent["message_id"]?.asText)
            #expect(try await stage.holders(id) == 1)
            for device in [phone, tablet] {
                let inbox = try await device.inbox()
                #expect(inbox.ids == [id] && inbox.holders[id] == "person")
                #expect(try await device.list().unread == [id])
            }
            _ = await phone.batch("unread", [id])
            #expect(try await tablet.inbox().unreadCount == 0)
            #expect(try await tablet.list().unread == [])
        }
    }

    @Test func `rule 7: it is gone at logout, is not shown to whoever comes next, and waits for its person`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let (phone, other) = try await (stage.phone(), stage.phone())
            try await stage.login(phone, "ana")
            try await stage.tag(people: ["ana"], "gold")
            let id = try #require(try await stage.send(to: Self.gold)["message_id"]?.asText)
            try await stage.login(phone, nil)
            #expect(try await phone.inbox().ids == [])
            #expect(try await phone.list().ids == [])
            #expect(await phone.body(id).status == 404)
            try await stage.login(phone, "ben")
            #expect(try await phone.inbox().ids == [])
            try await stage.login(other, "ana")
            #expect(try await other.inbox().ids == [id])
        }
    }

    @Test func `rule 7: a person without devices gets it, and sees it at the first login`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await stage.phone()
            try await stage.tag(people: ["ana"], "gold")
            let sent = try await stage.send(to: Self.gold)
            #expect(sent["recipients"]?.integer == 1)
            try await stage.login(phone, "ana")
            #expect(try await phone.inbox().ids == [try #require(sent["message_id"]?.asText)])
        }
    }

    @Test func `rule 7: where person and device carry the tag the view has it once, and each keeps its own`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let (phone, bare) = try await (stage.phone(), stage.phone())
            for device in [phone, bare] { try await stage.login(device, "ana") }
            try await stage.tag(people: ["ana"], "gold")
            try await stage.tag(phone, "gold")
            let sent = try await stage.send(to: Self.gold)
            #expect(sent["recipients"]?.integer == 2)
            let id = try #require(sent["message_id"]?.asText)
            for device in [phone, bare] {
                let inbox = try await device.inbox()
                #expect(inbox.ids == [id] && inbox.unreadCount == 1 && inbox.holders[id] == "person")
                #expect(try await device.list().ids == [id])
            }
            _ = await phone.batch("unread", [id])
            #expect(try await bare.inbox().unreadCount == 0)
            for device in [phone, bare] { try await stage.login(device, nil) }
            #expect(try await bare.inbox().ids == [])
            let own = try await phone.inbox()
            #expect(own.ids == [id] && own.unreadCount == 0 && own.holders[id] == "device")
        }
    }

    @Test func `rule 7: deleted by its person, a message to both is gone from the device too`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await stage.phone()
            try await stage.login(phone, "ana")
            try await stage.tag(people: ["ana"], "gold")
            try await stage.tag(phone, "gold")
            let id = try #require(try await stage.send(to: Self.gold)["message_id"]?.asText)
            _ = await phone.batch("delete", [id])
            #expect(try await phone.inbox().ids == [])
            try await stage.login(phone, nil)
            #expect(try await phone.inbox().ids == [])
        }
    }

    @Test func `rule 4 and 5: what a person does elsewhere holds on a device with a copy of its own`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let (phone, other) = try await (stage.phone(), stage.phone())
            for device in [phone, other] { try await stage.login(device, "ana") }
            try await stage.tag(people: ["ana"], "gold")
            try await stage.tag(phone, "gold")
            var ids: [String] = []
            for _ in 0..<2 {
                ids.append(try #require(try await stage.send(to: Self.gold)["message_id"]?.asText))
            }
            let before = try await phone.inbox()
            _ = await other.batch("delete", [ids[0]])
            _ = await other.batch("unread", [ids[1]])
            let after = try await phone.inbox()
            #expect(after.ids == [ids[1]] && after.unreadCount == 0 && after.etag != before.etag)
            #expect(try await phone.list().ids == [ids[1]])
            #expect(await phone.body(ids[0]).status == 404)
            let path = "/v1/inbox/changes?since=\(before.cursor)"
            let changes = try ChangesAnswer(await stage.call(.get, path, phone.basic))
            #expect(changes.removed == [ids[0]] && changes.changed.unread == [])
            // Of two marks the later counts, and what is gone from the view is marked nowhere.
            let mark = { (name: String) in
                await stage.call(
                    .post, "/v1/inbox/\(name)", phone.basic, #"{"ids":["\#(ids[0])","\#(ids[1])"]}"#)
            }
            _ = await mark("unread")
            #expect(try await other.inbox().unread == [ids[1]])
            _ = await other.batch("unread", [ids[1]])
            #expect(try await phone.inbox().unread == [])
            _ = await mark("read")
            try await stage.login(phone, nil)
            let own = try await phone.inbox()
            #expect(Set(own.ids) == Set(ids) && own.unread == [ids[0]])
        }
    }

    @Test func `rule 16: a dry run tells whom it would reach, and who is unknown`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await stage.phone()
            try await stage.tag(people: ["ana", "ben"], "gold")
            try await stage.tag(phone, "gold")
            for (audience, recipients, unknown) in [
                (Self.gold, 3, [String]()),
                (#"{"and":[\#(Self.gold),{"not":{"named_user":["ana","zoe"]}}]}"#, 2, ["named_user:zoe"]),
                (#"{"or":[\#(Self.gold),{"named_user":"zoe"}]}"#, 3, ["named_user:zoe"]),
            ] {
                let body = #"{"audience":\#(audience),"dry_run":true,"message":{"title":"T","body":"B"}}"#
                let told = try await stage.call(.post, "/v1/messages", stage.acme.masterBasic, body).json
                #expect(told["recipients"]?.integer == Int64(recipients), "\(audience)")
                #expect(told["unknown"] == .array(unknown.map { .string($0) }))
                #expect(try await phone.inbox().ids == [])
                #expect(try await stage.send(to: audience)["recipients"] == told["recipients"])
                let ids = try await phone.inbox().ids
                #expect(await phone.batch("delete", ids).status == 200)
            }
        }
    }

    @Test func `rule 7: the mode devices stores it where the people are`() async throws {
        try await DeviceStage.open(delivery: .devices) { stage in
            let phone = try await stage.phone()
            try await stage.login(phone, "ana")
            try await stage.tag(people: ["ana", "ben"], "gold")
            let sent = try await stage.send(to: Self.gold)
            #expect(sent["recipients"]?.integer == 1)
            try await stage.login(phone, nil)
            #expect(try await phone.inbox().ids == [try #require(sent["message_id"]?.asText)])
        }
    }

    @Test func `rule 7: device types bind devices, and people as far as these show them`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let (phone, own) = try await (stage.phone(), stage.phone())
            try await stage.login(phone, "ana")
            try await stage.tag(people: ["ana"], "gold")
            try await stage.tag(own, "gold")
            for (types, recipients, isShown) in [("android", 1, false), ("ios", 2, true)] {
                let body =
                    #"{"audience":\#(Self.gold),"device_types":["\#(types)"],"message":{"title":"T","body":"B"}}"#
                let sent = try await stage.call(.post, "/v1/messages", stage.acme.masterBasic, body).json
                #expect(sent["recipients"]?.integer == Int64(recipients))
                let id = try #require(sent["message_id"]?.asText)
                for device in [phone, own] {
                    #expect(try await device.inbox().ids.contains(id) == isShown)
                }
            }
        }
    }

    @Test func `rule 12: people of another app with the same tag get nothing`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage, stage.globex)
            for app in [stage.acme, stage.globex] {
                try await stage.tag(people: ["ana"], "gold", in: app)
            }
            _ = await stage.call(
                .post, "/api/named_users/associate", stage.globex.masterBasic,
                #"{"channel_id":"\#(phone.channel)","named_user_id":"ana"}"#)
            let sent = try await stage.send(to: Self.gold)
            #expect(sent["recipients"]?.integer == 1)
            #expect(try await phone.inbox().ids == [])
            let own = try await stage.send(to: Self.gold, in: stage.globex)
            #expect(try await phone.inbox().ids == [try #require(own["message_id"]?.asText)])
        }
    }

    @Test func `rule 7: a schedule for a tag reaches the people who carry it then`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await stage.phone()
            try await stage.tag(people: ["ben"], "gold")
            try await stage.freeze(at: "2031-05-06 07:00:00")
            try await stage.schedule(for: Self.gold)
            try await stage.tag(people: ["ana"], "gold")
            try await stage.tag(people: ["ben"], "gold", isRemoved: true)
            try await stage.freeze(at: "2031-05-06 07:08:09")
            #expect(try await stage.fire() == [])
            try await stage.login(phone, "ben")
            #expect(try await phone.inbox().ids == [])
            try await stage.login(phone, "ana")
            #expect(try await phone.inbox().holders.values.map { $0 } == ["person"])
        }
    }

    @Test func `pushes with more selectors than a statement bears are refused, and end nothing`() async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let tags = (0..<1000).map { #"{"tag":"t\#($0)","group":"plan"}"# }.joined(separator: ",")
            let push =
                #"{"audience":{"and":[\#(tags)]},"device_types":"all","message":{"title":"T","body":"B"}}"#
            let authorization = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            let pushes = "[" + Array(repeating: push, count: 6).joined(separator: ",") + "]"
            let answer = await stage.call(.post, "/api/push", authorization, pushes)
            #expect(answer.status == 400 && answer.text.contains("selectors_per_push"), "\(answer.text)")
        }
    }
}

extension DeviceStage {
    /// Adds a tag of the group `plan` to people, who are made if they are unknown, or takes it from them.
    func tag(people: [String], _ tag: String, in app: App? = nil, isRemoved: Bool = false) async throws {
        for name in people {
            let session = #"{"named_user_id":"\#(name)"}"#
            let made = await call(.post, "/v1/sessions", (app ?? acme).masterBasic, session)
            try #require(made.status == 201, "\(made.text)")
        }
        let names = people.map { "\"\($0)\"" }.joined(separator: ",")
        let tagged = await call(
            .post, "/api/named_users/tags", (app ?? acme).masterBasic,
            #"{"audience":{"named_user_id":[\#(names)]},"\#(isRemoved ? "remove" : "add")":{"plan":"\#(tag)"}}"#
        )
        try #require(tagged.status == 200, "\(tagged.text)")
    }

    /// Adds a tag of the same group to a device.
    func tag(_ phone: Phone, _ tag: String) async throws {
        let tagged = await call(
            .post, "/api/channels/tags", acme.masterBasic,
            #"{"audience":{"channel":"\#(phone.channel)"},"add":{"plan":"\#(tag)"}}"#)
        try #require(tagged.status == 200, "\(tagged.text)")
    }
}
