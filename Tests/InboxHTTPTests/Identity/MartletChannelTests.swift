import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct MartletChannelTests {
    private static let uuid = "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"
    private static let password = "abcdefghijklmnopqrstuv"

    private func body(_ password: String = password, _ more: String = "") -> String {
        #"{"password":"\#(password)","device_type":"web"\#(more)}"#
    }

    private func put(
        _ stage: DeviceStage, _ body: String, _ uuid: String = uuid, as authorization: String? = nil
    ) async -> Response {
        await stage.call(.put, "/v1/channels/\(uuid)", authorization ?? stage.acme.basic, body)
    }

    private func record(_ stage: DeviceStage) async throws -> JSON? {
        let master = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
        return try await stage.call(.get, "/api/channels/\(Self.uuid)", master).json["channel"]
    }

    @Test func `an installation makes its own id and password, and may say so again`() async throws {
        try await DeviceStage.open { stage in
            let made = await put(stage, body())
            #expect(made.status == 201)
            let user = try #require(try made.json["user_id"]?.asText)
            #expect(try made.json["channel_id"]?.asText == Self.uuid)
            let again = await put(stage, body(), Self.uuid.uppercased())
            #expect(again.status == 200 && again.body == made.body)
            let basic = DeviceStage.App.basic(user, Self.password)
            #expect(await stage.call(.get, "/v1/inbox", basic).status == 200)
            #expect(await stage.call(.get, "/api/user/\(user)/messages", basic).status == 200)
            let channel = Audience.channels([try #require(ChannelID(text: Self.uuid))], type: nil)
            let message = try await stage.backend.send(to: channel, in: stage.acme)
            #expect(await stage.call(.get, "/v1/inbox", basic).text.contains(message))
        }
    }

    @Test func `what it says of itself is kept, and a later word counts`() async throws {
        try await DeviceStage.open { stage in
            let first = body(
                Self.password, #","opt_in":true,"background":true,"push_address":"p","tags":["a","b"]"#)
            #expect(await put(stage, first).status == 201)
            var record = try #require(try await record(stage))
            #expect(record["device_type"]?.asText == "web" && record["opt_in"] == .bool(true))
            #expect(record["background"] == .bool(true) && record["push_address"]?.asText == "p")
            #expect(record["tags"] == .array([.string("a"), .string("b")]))
            #expect(await put(stage, body(Self.password, #","opt_in":false,"tags":["c"]"#)).status == 200)
            record = try #require(try await self.record(stage))
            #expect(record["opt_in"] == .bool(false) && record["push_address"]?.asText == "p")
            #expect(record["tags"] == .array([.string("c")]))
        }
    }

    @Test func `another password is 409, changes nothing and tells nothing`() async throws {
        try await DeviceStage.open { stage in
            #expect(await put(stage, body()).status == 201)
            let other = await put(stage, body(String(Self.password.reversed()), #","tags":["x"]"#))
            #expect(other.status == 409)
            let tags = try await record(stage)?["tags"]
            #expect(tags == .array([]))
            #expect(await put(stage, body()).status == 200)
        }
    }

    @Test func `another type of device is 409 and changes nothing`() async throws {
        try await DeviceStage.open { stage in
            #expect(await put(stage, body()).status == 201)
            let other = body().replacing("\"web\"", with: "\"ios\"")
            #expect(other != body())
            #expect(await put(stage, other).status == 409)
            let type = try await record(stage)?["device_type"]
            #expect(type == .string("web"))
        }
    }

    @Test func `a channel of the device API is not taken over`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(await put(stage, body(), phone.channel).status == 409)
            let bare = try await Phone.newChannel(stage, stage.acme)
            #expect(await put(stage, body(), bare).status == 409)
            #expect(try await phone.list().status == 200)
        }
    }

    @Test func `rule 12: apps do not share ids of channels`() async throws {
        try await DeviceStage.open { stage in
            let own = try await put(stage, body()).json
            let foreign = await put(stage, body(), as: stage.globex.basic)
            #expect(foreign.status == 201)
            #expect(try foreign.json["user_id"] != own["user_id"])
        }
    }

    @Test func `registrations that come at once make one channel and one user`() async throws {
        try await DeviceStage.open { stage in
            let answers = await withTaskGroup(of: Response.self) { group in
                for _ in 0..<12 { group.addTask { await self.put(stage, self.body()) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status).sorted() == Array(repeating: 200, count: 11) + [201])
            #expect(Set(answers.map(\.text)).count == 1)
        }
    }

    @Test(arguments: [
        (String(repeating: "a", count: 21), 400), (String(repeating: "a", count: 22), 201),
        (String(repeating: "_", count: 128), 201), (String(repeating: "-", count: 129), 400),
        (String(repeating: "é", count: 22), 400), ("abcdefghijklmnopqrstu ", 400),
        ("abcdefghijklmnopqrstu:", 400),
    ])
    func `a password has 22 to 128 characters that pass everywhere`(password: String, status: Int)
        async throws
    {
        try await DeviceStage.open { stage in
            let answer = await put(stage, body(password))
            #expect(answer.status == status)
            let field = try answer.json["field"]?.asText
            #expect(field == (status == 400 ? "password" : nil))
        }
    }

    @Test(arguments: [
        ("", nil), ("{}", "password"), (#"{"password":7,"device_type":"web"}"#, "password"),
        (#"{"password":"abcdefghijklmnopqrstuv"}"#, "device_type"),
        (#"{"password":"abcdefghijklmnopqrstuv","device_type":"tv"}"#, "device_type"),
        (#"{"password":"abcdefghijklmnopqrstuv","device_type":"web","optin":true}"#, "optin"),
        (#"{"password":"abcdefghijklmnopqrstuv","device_type":"web","opt_in":1}"#, "opt_in"),
        (#"{"password":"abcdefghijklmnopqrstuv","device_type":"web","tags":"a"}"#, "tags"),
        (#"{"password":"abcdefghijklmnopqrstuv","device_type":"web","tags":[""]}"#, "tags[0]"),
        (#"{"password":"abcdefghijklmnopqrstuv","device_type":"web","push_address":1}"#, "push_address"),
    ])
    func `a body that is none is 400 with its place`(body: String, field: String?) async throws {
        try await DeviceStage.open { stage in
            let answer = await put(stage, body)
            #expect(answer.status == 400)
            let place = try answer.json["field"]?.asText
            #expect(place == field)
            #expect(try await record(stage) == nil)
        }
    }

    @Test func `an id that is no UUID is 400, and whose proof it is matters`() async throws {
        try await DeviceStage.open { stage in
            #expect(await put(stage, body(), "x").status == 400)
            let master = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            for wrong in [master, "Basic x", "Bearer x", DeviceStage.App.basic(stage.acme.key, "x")] {
                #expect(await put(stage, body(), as: wrong).status == 401)
            }
            for (channel, status) in [(Self.uuid, 201), (UUID().uuidString, 401)] {
                let headers = Phone.generatedToken(stage.acme, channel: Self.uuid)
                let answer = await stage.call(
                    .put, "/v1/channels/\(channel)", headers["Authorization"], body(), headers: headers.rest)
                #expect(answer.status == status)
            }
        }
    }

    @Test func `an installation that removes itself is uninstalled and logged out, and its credential ends`()
        async throws
    {
        try await DeviceStage.open { stage in
            let user = try #require(try await put(stage, body()).json["user_id"]?.asText)
            let basic = DeviceStage.App.basic(user, Self.password)
            let other = try await Phone.register(stage)
            let logIn = await stage.call(
                .put, "/v1/session/named-user", basic, #"{"named_user_id":"ana"}"#)
            #expect(logIn.status == 200)
            for foreign in [other.channel, UUID().uuidString, "x"] {
                #expect(await stage.call(.delete, "/v1/channels/\(foreign)", basic).status == 404)
            }
            #expect(await stage.call(.delete, "/v1/channels/\(Self.uuid)", other.basic).status == 404)
            #expect(try await record(stage)?["named_user_id"]?.asText == "ana")
            let removed = await stage.call(.delete, "/v1/channels/\(Self.uuid)", basic)
            #expect(removed.status == 204 && removed.body.isEmpty)
            let record = try await record(stage)
            #expect(record?["installed"] == .bool(false) && record?["named_user_id"] == nil)
            #expect(await stage.call(.get, "/v1/inbox", basic).status == 401)
            #expect(await put(stage, body()).status == 409, "the id is used up")
            #expect(try await other.list().status == 200)
        }
    }
}
