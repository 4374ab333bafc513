import HTTPCore
import InboxModel
import InboxWire
import Testing

@Suite struct UserRouteTests {
    @Test func `a new user is 201 with credentials in the form that every client can keep`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(phone.user.utf8.count == 22 && phone.password.utf8.count == 22)
            #expect(try await phone.list().status == 200)
        }
    }

    @Test func `a new user without a channel, as the oldest apps make one, has an empty list`() async throws {
        try await DeviceStage.open { stage in
            let made = await stage.call(.post, "/api/user/", stage.acme.basic, #"{"ua_device_id":"x"}"#)
            #expect(made.status == 201)
            let user = try #require(try made.json["user_id"]?.asText)
            let password = try #require(try made.json["password"]?.asText)
            #expect(try made.json["user_url"]?.asText == "http://127.0.0.1:8080/api/user/\(user)/")
            let list = try List(
                await stage.call(
                    .get, "/api/user/\(user)/messages/", DeviceStage.App.basic(user, password)))
            #expect(list.status == 200 && list.ids.isEmpty && list.lastModified != nil)
        }
    }

    @Test func `a user of an unknown channel or of another app's is not made`() async throws {
        try await DeviceStage.open { stage in
            let foreign = try await Phone.newChannel(stage, stage.globex)
            for channel in [foreign, "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f", "nonsense"] {
                let made = await stage.call(
                    .post, "/api/user/", stage.acme.basic, #"{"ios_channels":["\#(channel)"]}"#)
                #expect(made.status == 404)
            }
        }
    }

    @Test func `an update is exactly 200, with and without the slash, and again, and for unknown channels`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage, nil, .android)
            let other = try await Phone.newChannel(stage, stage.acme, .android)
            for path in ["", "/"] {
                for channel in [other, other, "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"] {
                    let answer = await phone.call(
                        .post, path, #"{"android_channels":{"add":["\#(channel)"]}}"#)
                    #expect(answer.status == 200)
                }
            }
        }
    }

    @Test func `an attached channel brings its messages, and what is sent to it later arrives`() async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.newChannel(stage, stage.acme)
            let audience = Audience.channels([try #require(ChannelID(text: other))], type: nil)
            let before = try await stage.backend.send(to: audience, in: stage.acme)
            let own = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            #expect(await phone.call(.post, "/", #"{"ios_channels":{"add":["\#(other)"]}}"#).status == 200)
            let after = try await stage.backend.send(to: audience, in: stage.acme)
            #expect(Set(try await phone.list().ids) == [before, own, after])
        }
    }

    @Test func `wrong, missing and other people's credentials are 401 with a challenge`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            let path = "/api/user/\(phone.user)/messages/"
            let wrong = [
                nil, other.basic, DeviceStage.App.basic(phone.user, other.password),
                DeviceStage.App.basic(phone.user, phone.password + ":x"), stage.acme.basic,
                "Basic ????", "Bearer x", "Basic", DeviceStage.App.basic(phone.user, ""),
            ]
            for authorization in wrong {
                let answer = await stage.call(.get, path, authorization)
                #expect(answer.status == 401)
                #expect(answer.headers.values(of: "www-authenticate").count == 1)
            }
        }
    }

    @Test func `passwords may hold colons`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.script("UPDATE inbox_users SET password_digest = sha256('a:b:c')")
            let path = "/api/user/\(phone.user)/messages/"
            for (password, status) in [("a:b:c", 200), ("a", 401), ("a:b", 401)] {
                let basic = DeviceStage.App.basic(phone.user, password)
                #expect(await stage.call(.get, path, basic).status == status)
            }
        }
    }
}
