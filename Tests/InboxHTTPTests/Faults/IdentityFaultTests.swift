import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

/// Faults that users of comparable systems reported: named users, credentials, names.
@Suite struct IdentityFaultTests {
    @Test func `reported fault: tags of one person came to another who logged in meanwhile`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for round in 0..<10 {
                _ = await phone.login("ana")
                let tags = #"{"audience":{"named_user_id":"ana"},"add":{"plan":"gold-\#(round)"}}"#
                async let tagged = stage.call(.post, "/api/named_users/tags", stage.acme.masterBasic, tags)
                async let moved = phone.login("ben")
                let statuses = await (tagged.status, moved.status)
                #expect(statuses == (200, 200))
            }
            let sent = try await stage.send(to: #"{"tag":"gold-9","group":"plan"}"#)
            #expect(sent["recipients"]?.asInteger == 0)
            #expect(try await phone.inbox().ids.isEmpty)
            let ana = try await stage.call(.get, "/v1/named-users/ana", stage.acme.masterBasic).json
            let ben = try await stage.call(.get, "/v1/named-users/ben", stage.acme.masterBasic).json
            guard case .array(let gold)? = ana["tags"]?["plan"] else { throw Missing() }
            #expect(gold.count == 10 && ben["tags"]?["plan"] == nil)
        }
    }

    @Test func `reported fault: a rotated password went on being good on an instance that had seen it`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.onAnotherInstance { other in
                let new = "another-password-of-it"
                let instances = [stage, other]
                func statuses(_ password: String) async -> [Int] {
                    var statuses: [Int] = []
                    for instance in instances {
                        let basic = DeviceStage.App.basic(phone.user, password)
                        for path in ["/v1/inbox", "/v1/inbox/events", "/api/user/\(phone.user)/messages/"] {
                            statuses.append(await instance.call(.get, path, basic).status)
                        }
                    }
                    return statuses
                }
                #expect(await statuses(phone.password).allSatisfy { $0 == 200 })
                #expect(await statuses(new).allSatisfy { $0 == 401 })
                try await stage.script("UPDATE inbox_users SET password_digest = sha256('\(new)')")
                #expect(await statuses(phone.password).allSatisfy { $0 == 401 })
                #expect(await statuses(new).allSatisfy { $0 == 200 })
            }
        }
    }

    @Test func `reported fault: whoever has no ASCII in the name was not found`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            for name in ["日本", "Zoë", "$x", "x", "a+b&c=50%"] {
                _ = await phone.login(name)
                let tag = "Zürich \(name)"
                let tags = #"{"audience":{"ios_channel":"\#(phone.channel)"},"set":{"device":["\#(tag)"]}}"#
                let tagged = await stage.call(.post, "/api/channels/tags", stage.acme.masterBasic, tags)
                #expect(tagged.status == 200, "\(tagged.text)")
                let both = [#"{"tag":"\#(tag)"}"#, #"{"named_user":"\#(name)"}"#]
                for audience in both {
                    let sent = try await stage.send(to: audience)
                    #expect(sent["recipients"]?.asInteger == 1, "\(audience)")
                    let id = try #require(sent["message_id"]?.asText)
                    #expect(try await phone.inbox().ids.contains(id), "\(audience)")
                }
                let path = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                let shown = await stage.call(.get, "/v1/named-users/\(path)", stage.acme.masterBasic)
                #expect(try shown.json["named_user_id"]?.asText == name)
                let looked = await stage.call(.get, "/api/named_users?id=\(path)", stage.acme.masterBasic)
                #expect(try looked.json["named_user"]?["named_user_id"]?.asText == name)
                let channel = await stage.call(
                    .get, "/api/channels/\(phone.channel)", stage.acme.masterBasic)
                #expect(try channel.json["channel"]?["tags"] == .array([.string(tag)]))
            }
        }
    }

    @Test func `reported fault: an id that is no text was accepted and did nothing`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            _ = await phone.login("ana")
            for id in ["26", "true", "{}", #""""#, #"" ""#, #""\t""#, "[26]", #"[""]"#, #"[["a"]]"#] {
                let message = #""message":{"title":"T","body":"B"}"#
                let requests = [
                    ("/v1/messages", #"{"audience":{"named_user":\#(id)},\#(message)}"#),
                    ("/api/push", #"{"audience":{"named_user":\#(id)},"device_types":"all",\#(message)}"#),
                    ("/v1/sessions", #"{"named_user_id":\#(id)}"#),
                    (
                        "/api/named_users/associate",
                        #"{"channel_id":"\#(phone.channel)","named_user_id":\#(id)}"#
                    ),
                    ("/api/named_users/tags", #"{"audience":{"named_user_id":\#(id)},"add":{"g":"t"}}"#),
                ]
                for (path, body) in requests {
                    // Published clients log out so.
                    if path.hasSuffix("/associate") && id == #""""# { continue }
                    let answer = await stage.call(.post, path, stage.acme.masterBasic, body)
                    #expect(answer.status == 400, "\(path) \(body): \(answer.text)")
                }
            }
            #expect(try await phone.person.asText == "ana")
        }
    }

    private struct Missing: Error {}
}
