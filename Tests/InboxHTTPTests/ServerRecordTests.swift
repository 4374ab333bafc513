import HTTPCore
import InboxModel
import InboxWire
import Testing

struct ServerRecordTests {
    @Test func `a channel is shown with all members that clients insist on`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme, .android, tags: ["beta"])
            let id = device.channel.text
            let answer = await stage.call(.get, "/api/channels/\(id.uppercased())/", as: stage.acme.master)
            #expect(answer.status == 200)
            let channel = try #require(answer.json["channel"])
            #expect(channel["channel_id"]?.text == id)
            #expect(channel["device_type"]?.text == "android")
            #expect(channel["installed"] == .bool(true) && channel["opt_in"] == .bool(true))
            #expect(channel["background"] == .bool(false))
            #expect(channel["tags"]?.texts == ["beta"])
            #expect(channel["tag_groups"] == .object([]))
            #expect(channel["push_address"] == .null)
            for name in ["created", "last_registration"] {
                let time = try #require(channel[name]?.text)
                #expect(time.utf8.count == 19 && CalendarTime(text: time) != nil, "\(name): \(time)")
            }
        }
    }

    @Test func `people are listed by their ids, page by page, each with its channels and tags`() async throws
    {
        try await ServerStage.open { stage in
            let channel = try await stage.device(stage.acme).channel.text
            let names = ["Ä/%+ö", "ana", "ben", "cleo", "z"]
            for name in names {
                let body = #"{"channel_id": "\#(channel)", "named_user_id": "\#(name)"}"#
                try await stage.call(.post, "/api/named_users/associate", as: stage.acme.master, body).mustBe(
                    200)
            }
            try await stage.call(
                .post, "/api/named_users/tags", as: stage.acme.master,
                #"{"audience": {"named_user_id": ["z"]}, "add": {"plan": ["gold"]}}"#
            ).mustBe(200)
            var listed: [JSON] = []
            var next: String? = "/api/named_users/?limit=2"
            while let target = next {
                let page = await stage.call(.get, target, as: stage.acme.master).json
                guard case .array(let people)? = page["named_users"], !people.isEmpty else { break }
                listed += people
                next = page["next_page"]?.text.map { String($0.dropFirst("http://127.0.0.1:8080".count)) }
            }
            #expect(listed.map { $0["named_user_id"]?.text } == ["ana", "ben", "cleo", "z", "Ä/%+ö"])
            #expect(listed[3]["tags"]?["plan"]?.texts == ["gold"])
            #expect(
                listed[3]["channels"]?[0]?["channel_id"]?.text == channel, "who came last has the channel")
            #expect(listed[0]["channels"] == .array([]))
            let foreign = await stage.call(.get, "/api/named_users", as: stage.globex.master)
            #expect(foreign.text == #"{"ok":true,"named_users":[]}"#)
            for query in ["limit=0", "limit=101", "limit=x", "start=%20"] {
                let refused = await stage.call(.get, "/api/named_users?\(query)", as: stage.acme.master)
                #expect(refused.status == 400 && refused.path == String(query.prefix { $0 != "=" }))
            }
        }
    }

    @Test func `a channel moves from one person to another and is logged out`() async throws {
        try await ServerStage.open { stage in
            let id = try await stage.device(stage.acme).channel.text
            func associate(_ person: String) async -> Answer {
                await stage.call(
                    .post, "/api/named_users/associate/", as: stage.acme.master,
                    #"{"channel_id": "\#(id)", "named_user_id": "\#(person)"}"#)
            }
            func channels(of person: String) async throws -> [String?] {
                let answer = await stage.call(.get, "/api/named_users/?id=\(person)", as: stage.acme.master)
                guard case .array(let channels)? = answer.json["named_user"]?["channels"] else {
                    return []
                }
                return channels.map { $0["channel_id"]?.text }
            }
            #expect(await associate("ana").text == #"{"ok":true}"#)
            #expect(try await channels(of: "ana") == [id])
            #expect(await associate("ben").status == 200)
            #expect(try await channels(of: "ana") == [])
            #expect(try await channels(of: "ben") == [id])
            let other = await stage.call(
                .post, "/api/named_users/disassociate", as: stage.acme.master,
                #"{"channel_id": "\#(id)", "named_user_id": "ana"}"#)
            #expect(other.status == 200)
            #expect(try await channels(of: "ben") == [id], "who is not logged in cannot be logged out")
            let out = await stage.call(
                .post, "/api/named_users/disassociate", as: stage.acme.master, #"{"channel_id": "\#(id)"}"#)
            #expect(out.status == 200)
            #expect(try await channels(of: "ben") == [])
            for nobody in ["null", "\"\""] {
                #expect(await associate("cleo").status == 200)
                let cleared = await stage.call(
                    .post, "/api/named_users/associate", as: stage.acme.master,
                    #"{"channel_id": "\#(id)", "named_user_id": \#(nobody)}"#)
                #expect(cleared.status == 200)
                #expect(try await channels(of: "cleo") == [])
            }
        }
    }

    @Test func `a person with special characters is found`() async throws {
        let cases = [
            ("u+1%2F%C3%A5", "u 1/å"), ("a%2Bb", "a+b"), ("50%25", "50%"), ("a%26b%3Dc", "a&b=c"),
            ("%24x", "$x"),
        ]
        try await ServerStage.open { stage in
            for (query, id) in cases {
                let device = try await stage.device(stage.acme)
                let login = await stage.call(
                    .post, "/api/named_users/associate", as: stage.acme.master,
                    #"{"channel_id": "\#(device.channel.text)", "named_user_id": "\#(id)"}"#)
                #expect(login.status == 200)
                let found = await stage.call(.get, "/api/named_users?id=\(query)", as: stage.acme.master).json
                #expect(found["named_user"]?["named_user_id"]?.text == id)
                let sent = await stage.call(
                    .post, "/api/push", as: stage.acme.master, push(#"{"named_user": "\#(id)"}"#)
                ).json
                #expect(sent["pushes"]?[0]?["recipients"]?.integer == 1)
            }
        }
    }

    @Test func `tags are added, removed and set by group`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let id = device.channel.text
            func change(_ path: String, _ audience: String, _ change: String) async -> Answer {
                await stage.call(
                    .post, path, as: stage.acme.master, #"{"audience": {\#(audience)}, \#(change)}"#)
            }
            let channel = #""ios_channel": "\#(id)""#
            #expect(
                await change("/api/channels/tags", channel, #""add": {"g": ["a", "b"], "h": "x"}"#).text
                    == #"{"ok":true}"#)
            #expect(
                await change("/api/channels/tags/", channel, #""remove": {"g": ["a"]}, "add": {"g": ["c"]}"#)
                    .status == 200)
            #expect(await change("/api/channels/tags", channel, #""set": {"h": []}"#).status == 200)
            let shown = await stage.call(.get, "/api/channels/\(id)", as: stage.acme.master).json[
                "channel"]
            #expect(shown?["tag_groups"] == .object([JSONMember("g", .array([.string("b"), .string("c")]))]))
            let person = #""named_user_id": "ana""#
            let unknown = await change("/api/named_users/tags", person, #""add": {"g": "a"}"#)
            #expect(unknown.status == 200)
            #expect(unknown.json["warnings"]?.texts == ["named_user:ana is unknown"])
            _ = await stage.call(
                .post, "/api/named_users/associate", as: stage.acme.master,
                #"{"channel_id": "\#(id)", "named_user_id": "ana"}"#)
            #expect(
                await change("/api/named_users/tags", person, #""add": {"plan": ["gold"]}"#).text
                    == #"{"ok":true}"#)
            let found = await stage.call(.get, "/api/named_users?id=ana", as: stage.acme.master).json[
                "named_user"]
            #expect(found?["tags"] == .object([JSONMember("plan", .array([.string("gold")]))]))
            let audience =
                #"{"and": [{"tag": "b", "group": "g"}, {"tag": "gold", "group": "plan"}, {"not": {"tag": "x", "group": "h"}}]}"#
            let sent = await stage.call(.post, "/api/push", as: stage.acme.master, push(audience)).json
            #expect(try await stage.deliveries(device).map(\.text) == sent["message_ids"]?.texts)
        }
    }

    @Test func `what is unknown and what is another tenant's are answered alike`() async throws {
        try await ServerStage.open { stage in
            let foreign = try await stage.device(stage.globex).channel.text
            _ = await stage.call(
                .post, "/api/named_users/associate", as: stage.globex.master,
                #"{"channel_id": "\#(foreign)", "named_user_id": "theirs"}"#)
            for id in [foreign, "00112233-4455-6677-8899-aabbccddeeff"] {
                #expect(await stage.call(.get, "/api/channels/\(id)", as: stage.acme.master).status == 404)
                let body = #"{"channel_id": "\#(id)", "named_user_id": "mine"}"#
                for path in ["associate", "disassociate"] {
                    let answer = await stage.call(
                        .post, "/api/named_users/\(path)", as: stage.acme.master, body)
                    #expect(answer.status == 404)
                    #expect(answer.json["details"]?["error"]?.text == "channel not found")
                }
                let tags = await stage.call(
                    .post, "/api/channels/tags", as: stage.acme.master,
                    #"{"audience": {"channel": "\#(id)"}, "add": {"g": "t"}}"#)
                #expect(tags.json["warnings"]?.texts == ["channel:\(id) is unknown"])
            }
            for id in ["theirs", "nobody", "mine"] {
                #expect(
                    await stage.call(.get, "/api/named_users?id=\(id)", as: stage.acme.master).status == 404)
            }
            let theirs = await stage.call(.get, "/api/named_users?id=theirs", as: stage.globex.master)
                .json
            #expect(theirs["named_user"]?["channels"]?[0]?["channel_id"]?.text == foreign)
            #expect(theirs["named_user"]?["channels"]?[0]?["tag_groups"] == .object([]))
        }
    }

    @Test func `a look-up of nobody is 400`() async throws {
        let cases = ["/api/named_users?id=", "/api/named_users?id=%20%09"]
        try await ServerStage.open { stage in
            for target in cases {
                let answer = await stage.call(.get, target, as: stage.acme.master)
                #expect(answer.status == 400)
                #expect(answer.path == "id")
            }
        }
    }
}
