import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

/// Faults that users of comparable systems reported: extras, bodies, expiry, what is read by opening.
@Suite(.timeLimit(.minutes(10))) struct PayloadFaultTests {
    @Test func `reported fault: one value of extra that is no text hid all of them, or came back as another`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let extra = #"{"a":"x","n":1,"z":0,"t":true,"f":false,"d":1.5,"gone":null}"#
            let id = try await Self.send(extra, to: phone)
            let kept = ["a": "x", "n": "1", "z": "0", "t": "true", "f": "false", "d": "1.5"]
            try await stage.onAnotherInstance { other in
                for asked in [phone, phone.on(other)] {
                    for answer in [await asked.v1(.get, "/inbox"), await asked.call(.get, "/messages/")] {
                        let extra = try Self.extra(of: id, in: answer)
                        #expect(extra == kept)
                    }
                }
            }
            for nested in [#"{"a":"x","o":{"k":1}}"#, #"{"a":["x"]}"#, #"["a"]"#, #""a""#] {
                let refused = await stage.call(
                    .post, "/v1/messages", stage.acme.masterBasic, Self.body(nested, to: phone))
                #expect(refused.status == 400, "\(nested)")
            }
            #expect(try await phone.inbox().ids == [id])
        }
    }

    @Test func `reported fault: a message without extra, icon or end looked different each time`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for extra in [nil, "null", "{}", #"{"gone":null}"#] {
                let id = try await Self.send(extra, to: phone)
                for answer in [await phone.v1(.get, "/inbox"), await phone.call(.get, "/messages/")] {
                    let listed = try Self.extra(of: id, in: answer)
                    #expect(listed == [:], "\(extra ?? "absent")")
                }
            }
        }
    }

    @Test func `reported fault: a message too large for a notification failed, or woke nobody`() async throws
    {
        try await DeviceStage.open(pace: .blind) { stage in
            let phone = try await Phone.register(stage)
            try await stage.onLinkedInstance { other, link in
                let watcher = try await phone.watch()
                await link.becomesAsked()
                let body = String(repeating: "b", count: 200_000)
                let extra = #"{"k":"\#(String(repeating: "e", count: 20_000))"}"#
                let text =
                    #"{"audience":{"channel":"\#(phone.channel)"},"message":{"title":"T","body":"\#(body)","extra":\#(extra)}}"#
                let sent = await other.call(.post, "/v1/messages", stage.acme.masterBasic, text)
                #expect(sent.status == 202)
                #expect(await watcher.next()?.name == "changed")
                let id = try #require(try sent.json["message_id"]?.asText)
                #expect(await phone.v1(.get, "/inbox/messages/\(id)/body").body.count == 200_000)
                #expect(await phone.v1(.get, "/inbox").body.count < 30_000, "no body is in a list")
            }
        }
    }

    @Test func `reported fault: who came after a broadcast had ended still got it`() async throws {
        try await DeviceStage.open { stage in
            let before = try await Phone.register(stage)
            let id = try await stage.backend.send(to: .everyone, in: stage.acme) {
                $0.draft.expiry = .after(seconds: 600)
            }
            #expect(try await before.inbox().ids == [id])
            // A broadcast is for those who were there when it was sent.
            let between = try await Phone.register(stage)
            #expect(try await between.inbox().ids.isEmpty)
            #expect(try await between.list().ids.isEmpty)
            try await stage.advance(seconds: 601)
            let late = try await Phone.register(stage)
            _ = await late.login("ana")
            for phone in [before, between, late] {
                #expect(try await phone.inbox().ids.isEmpty)
                #expect(try await phone.list().ids.isEmpty)
                #expect(await phone.v1(.get, "/inbox/messages/\(id)/body").status == 404)
            }
        }
    }

    @Test func `reported fault: opening a message marked it in one view and not in another`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let id = try await phone.receive()
            let before = try await phone.inbox()
            #expect(await phone.v1(.get, "/inbox/messages/\(id)").status == 200)
            #expect(await phone.v1(.get, "/inbox/messages/\(id)/body").status == 200)
            #expect(await phone.body(id).status == 200)
            #expect(await phone.call(.get, "/messages/message/\(id)/").status == 200)
            #expect(try await phone.inbox(etag: before.etag).status == 304)
            #expect(before.unread == [id])
        }
    }

    private static func body(_ extra: String?, to phone: Phone) -> String {
        let member = extra.map { #","extra":\#($0)"# } ?? ""
        return #"{"audience":{"channel":"\#(phone.channel)"},"message":{"title":"T","body":"B"\#(member)}}"#
    }

    private static func send(_ extra: String?, to phone: Phone) async throws -> String {
        let answer = await phone.stage.call(
            .post, "/v1/messages", phone.app.masterBasic, body(extra, to: phone))
        try #require(answer.status == 202, "\(answer.text)")
        return try #require(try answer.json["message_id"]?.asText)
    }

    /// The texts of a listed message's extra; a value that is no text fails the test.
    private static func extra(of message: String, in answer: Response) throws -> [String: String]? {
        guard case .array(let messages)? = try answer.json["messages"],
            let listed = messages.first(where: { $0["message_id"]?.asText == message }),
            case .object(let members)? = listed["extra"]
        else { return nil }
        var texts: [String: String] = [:]
        for member in members {
            let text: String = try #require(member.value.asText)
            texts[member.name] = text
        }
        return texts
    }
}
