import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Testing

/// People who come and go on one phone, under `/v1`.
@Suite struct SwitchTests {
    private func ana(_ name: String = "ana") -> Audience { .namedUsers([NamedUserID(stored: name)]) }

    @Test func `an answer says who is logged in, what is unread and the cursor of the view after it`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            _ = try await stage.backend.send(to: ana(), in: stage.acme)
            #expect(await phone.logIn(as: "ana").status == 200)
            let message = try await stage.backend.send(to: ana(), in: stage.acme)
            let again = await phone.logIn(as: " ana\u{200B} ")
            let json = try again.json
            #expect(json["named_user_id"] == .string("ana") && json["unread_count"]?.asInteger == 1)
            #expect(again.headers["cache-control"] == "private, no-cache")
            let cursor = try #require(json["cursor"]?.asText)
            let path = "/v1/inbox/changes?since=\(cursor)"
            let changes = try await stage.call(.get, path, phone.basic).json
            #expect(changes["reset"] == .bool(false) && changes["changed"] == .array([]))
            let list = await stage.call(.get, "/v1/inbox", phone.basic).text
            #expect(list.contains(message) && list.contains(#""inbox":"person""#))

            let out = try await phone.logOut().json
            #expect(out["named_user_id"] == .null && out["unread_count"]?.asInteger == 0)
            let nobody = try await phone.logOut().json
            #expect(nobody["named_user_id"] == .null && nobody["cursor"] != nil, "again is a no-op")
            #expect(try await stage.call(.get, path, phone.basic).json["reset"] == .bool(true))
        }
    }

    @Test func `two people on one phone see their own messages, and what they had read stays read`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            func ids() async throws -> [String] {
                let list = try await stage.call(.get, "/v1/inbox", phone.basic).json
                guard case .array(let messages)? = list["messages"] else { return ["no list"] }
                return messages.compactMap { $0["message_id"]?.asText }
            }
            for name in ["ana", "ben"] { #expect(await phone.logIn(as: name).status == 200) }
            let hers = try await stage.backend.send(to: ana(), in: stage.acme)
            let his = try await stage.backend.send(to: ana("ben"), in: stage.acme)
            #expect(try await ids() == [his])
            #expect(await phone.logIn(as: "ana").status == 200)
            #expect(try await ids() == [hers])
            let read = await stage.call(.post, "/v1/inbox/read", phone.basic, #"{"ids":["\#(hers)"]}"#)
            #expect(try read.json["unread_count"]?.asInteger == 0)
            let switched = try await phone.logIn(as: "ben").json
            #expect(switched["unread_count"]?.asInteger == 1)
            #expect(try await ids() == [his])
            let back = try await phone.logIn(as: "ana").json
            #expect(back["unread_count"]?.asInteger == 0)
            #expect(try await ids() == [hers])
        }
    }

    @Test(arguments: [
        #""""#, #""  ""#, #""\t""#, #""\u200B""#, "null", "26", #"["a"]"#, "{}", "true", #""a\u0000""#,
        "\"\(String(repeating: "\u{E9}", count: 129))\"",
    ])
    func `NUF-25, NUF-26: who is no named user is 400, and nothing changes`(name: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(await phone.logIn(as: "ana").status == 200)
            let answer = await stage.call(
                .put, "/v1/session/named-user", phone.basic, #"{"named_user_id":\#(name)}"#)
            #expect(answer.status == 400)
            #expect(try answer.json["field"]?.asText == "named_user_id")
            #expect(try await phone.person == .string("ana"))
        }
    }

    @Test func `NUF-26: 128 characters are a name, after trimming`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let name = String(repeating: "\u{1F98A}", count: 128)
            #expect(await phone.logIn(as: "  \(name)\\n").status == 200)
            #expect(try await phone.person == .string(name))
        }
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"named_user_id":"ana","proof":7}"#, #"{"named_user_id":"ana","prof":"x"}"#,
        #"{"named_user_id":"ana","named_user_id":"ben"}"#,
    ])
    func `a body that is none is 400, and nothing changes`(body: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(await phone.logIn(as: "cleo").status == 200)
            #expect(await stage.call(.put, "/v1/session/named-user", phone.basic, body).status == 400)
            #expect(try await phone.person == .string("cleo"))
        }
    }

    @Test func `a user without a channel has nothing to log in on`() async throws {
        try await DeviceStage.open { stage in
            let made = try await stage.call(.post, "/api/user", stage.acme.basic, "{}").json
            let basic = DeviceStage.App.basic(
                made["user_id"]?.asText ?? "", made["password"]?.asText ?? "")
            let body = #"{"named_user_id":"ana"}"#
            #expect(await stage.call(.put, "/v1/session/named-user", basic, body).status == 409)
            #expect(await stage.call(.delete, "/v1/session/named-user", basic).status == 409)
        }
    }

    @Test func `of two people who log in at once one is logged in, and the other's messages never come`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            for round in 0..<10 {
                async let ana = phone.logIn(as: "ana").status
                async let ben = phone.logIn(as: "ben").status
                #expect(await [ana, ben] == [200, 200])
                let person = try await phone.person
                let other = person == .string("ana") ? "ben" : "ana"
                let message = try await stage.backend.send(to: self.ana(other), in: stage.acme)
                let list = await stage.call(.get, "/v1/inbox", phone.basic).text
                #expect(!list.contains(message), "round \(round)")
            }
        }
    }

    @Test func `logging in and out needs the device's own credential`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let wrong = [
                nil, stage.acme.basic, DeviceStage.App.basic(phone.user, "x"),
                DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret), "Bearer \(phone.password)",
            ]
            for authorization in wrong {
                let put = await stage.call(
                    .put, "/v1/session/named-user", authorization, #"{"named_user_id":"ana"}"#)
                let delete = await stage.call(.delete, "/v1/session/named-user", authorization)
                for answer in [put, delete] {
                    #expect(answer.status == 401 && answer.headers["www-authenticate"] != nil)
                }
            }
        }
    }
}
