import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct ContactRouteTests {
    private func identify(_ phone: Phone, _ action: String) async -> Response {
        let headers = Phone.generatedToken(phone.app, channel: phone.channel)
        let body = #"{"device_info":{"device_type":"ios"},"action":\#(action)}"#
        return await phone.stage.call(
            .post, "/api/contacts/identify/v2", headers["Authorization"], body, headers: headers.rest)
    }

    private func contact(_ response: Response) throws -> (id: String?, isAnonymous: JSON?) {
        let contact = try #require(try response.json["contact"])
        return (contact["contact_id"]?.asText, contact["is_anonymous"])
    }

    @Test func `resolve, identify and reset answer with all that an SDK needs`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let resolved = await identify(phone, #"{"type":"resolve"}"#)
            #expect(resolved.status == 200)
            let anonymous = try contact(resolved)
            #expect(anonymous.isAnonymous == .bool(true) && UUID(uuidString: anonymous.id ?? "") != nil)
            let again = try contact(await identify(phone, #"{"type":"resolve","contact_id":"x"}"#))
            #expect(again.id == anonymous.id)
            let known = try contact(await identify(phone, #"{"type":"identify","named_user_id":"ana"}"#))
            #expect(known.isAnonymous == .bool(false) && known.id != anonymous.id)
            #expect(try contact(await identify(phone, #"{"type":"resolve"}"#)).id == known.id)
            let reset = try contact(await identify(phone, #"{"type":"reset"}"#))
            #expect(reset.isAnonymous == .bool(true) && reset.id != known.id)
            #expect(try resolved.json["token"]?.asText?.isEmpty == false)
            #expect(try resolved.json["token_expires_in"]?.asInteger == 3_600_000)
            let since = try #require(try resolved.json["contact"]?["channel_association_timestamp"]?.asText)
            #expect(ISO8601DateFormatter().date(from: since) != nil)
        }
    }

    @Test(arguments: [
        "null", "{}", #"{"type":"merge"}"#, #"{"type":"identify"}"#,
        #"{"type":"identify","named_user_id":""}"#,
        #"{"type":"identify","named_user_id":26}"#, #"{"type":"identify","named_user_id":["a"]}"#,
    ])
    func `an action that is none is 400`(action: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(await identify(phone, action).status == 400)
        }
    }

    @Test func `rule 13: where the app verifies, a bare claim is 403, and log-out and resolve are not`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage, stage.globex)
            #expect(await identify(phone, #"{"type":"identify","named_user_id":"ana"}"#).status == 403)
            #expect(await phone.login("ana").status == 403)
            let legacy = #"{"channel_id":"\#(phone.channel)","device_type":"ios","named_user_id":"ana"}"#
            #expect(
                await stage.call(.post, "/api/contacts/identify", stage.globex.basic, legacy).status == 403)
            #expect(await identify(phone, #"{"type":"resolve"}"#).status == 200)
            #expect(await identify(phone, #"{"type":"reset"}"#).status == 200)
            #expect(await phone.login("").status == 200)
            let master = DeviceStage.App.basic(stage.globex.key, stage.globex.masterSecret)
            #expect(await stage.call(.post, "/api/named_users/associate", master, legacy).status == 200)
            #expect(try contact(await identify(phone, #"{"type":"resolve"}"#)).isAnonymous == .bool(false))
        }
    }

    @Test func `the older contact calls answer in their form`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let body = #"{"channel_id":"\#(phone.channel)","device_type":"ios","named_user_id":"ana"}"#
            for (path, isAnonymous) in [
                ("resolve/", true), ("identify/", false), ("resolve", false), ("reset/", true),
            ] {
                let answer = await stage.call(.post, "/api/contacts/\(path)", stage.acme.basic, body)
                #expect(answer.status == 200)
                #expect(try answer.json["is_anonymous"] == .bool(isAnonymous))
                #expect(try answer.json["contact_id"]?.asText != nil)
            }
        }
    }

    @Test func `rule 7: the person's messages come with login and go with log-out, keeping what was read`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            #expect(await phone.login("ana").status == 200)
            let ana = Audience.namedUsers([NamedUserID(stored: "ana")])
            let one = try await stage.backend.send("1", to: ana, in: stage.acme)
            let two = try await stage.backend.send("2", to: ana, in: stage.acme)
            #expect(await phone.batch("unread", [one]).status == 200)
            var list = try await phone.list()
            #expect(Set(list.ids) == [one, two] && list.unread == [two])
            #expect(await phone.login("ben").status == 200)
            list = try await phone.list(since: list.lastModified)
            #expect(list.status == 200 && list.ids.isEmpty)
            #expect(await phone.body(two).status == 404)
            #expect(await phone.login("ana").status == 200)
            list = try await phone.list(since: list.lastModified)
            #expect(Set(list.ids) == [one, two] && list.unread == [two])
            let other = try await Phone.register(stage, nil, .android)
            #expect(await other.login("ana").status == 200)
            #expect(try await other.list().unread == [two])
            #expect(await other.batch("delete", [two]).status == 200)
            #expect(try await phone.list(since: list.lastModified).ids == [one])
        }
    }

    @Test(arguments: [#""""#, "null"])
    func `an empty or null named user logs out, and device messages stay`(name: String) async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            #expect(await phone.login("ana").status == 200)
            try await stage.backend.send(to: .namedUsers([NamedUserID(stored: "ana")]), in: stage.acme)
            let own = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            for path in ["associate", "disassociate"] {
                let body = #"{"channel_id":"\#(phone.channel)","device_type":"ios","named_user_id":\#(name)}"#
                let answer = await stage.call(.post, "/api/named_users/\(path)/", stage.acme.basic, body)
                #expect(answer.status == 200)
                #expect(try await phone.list().ids == [own])
                #expect(await phone.login("ana").status == 200)
            }
        }
    }

    @Test func `names with special characters are different people and hit exactly them`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            for name in ["a+b", "a@b.c", "a b", "a&b=c", "50%", "naïve", "日本", "$x", "x"] {
                #expect(await phone.login(name).status == 200)
                let person = Audience.namedUsers([try NamedUserID(name)])
                let message = try await stage.backend.send(to: person, in: stage.acme)
                #expect(try await phone.list().ids == [message], "\(name)")
            }
        }
    }

    @Test func `a channel of another app or none is 404, and nothing is associated`() async throws {
        try await DeviceStage.open { stage in
            let foreign = try await Phone.register(stage, stage.globex)
            for channel in [foreign.channel, "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"] {
                let body = #"{"channel_id":"\#(channel)","named_user_id":"ana"}"#
                #expect(
                    await stage.call(.post, "/api/named_users/associate", stage.acme.basic, body).status
                        == 404)
                #expect(
                    await stage.call(.post, "/api/contacts/resolve", stage.acme.basic, body).status == 404)
            }
        }
    }

    @Test func `a contact's token serves its own calls and no others`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let resolved = await identify(phone, #"{"type":"resolve"}"#)
            let token = try #require(try resolved.json["token"]?.asText)
            let contact = try #require(try contact(resolved).id)
            let headers: Headers = ["X-UA-Appkey": stage.acme.key, "X-UA-Auth-Type": "SDK-JWT"]
            func status(_ path: String, _ token: String) async -> Int {
                await stage.call(.post, path, "Bearer \(token)", "{}", headers: headers).status
            }
            #expect(await status("/api/contacts/\(contact)", token) == 200)
            #expect(await status("/api/contacts/\(contact)", "AAAA") == 401)
            #expect(await status("/api/user/", token) == 401)
        }
    }
}
