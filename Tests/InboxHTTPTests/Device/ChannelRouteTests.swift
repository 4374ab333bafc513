import Crypto
import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct ChannelRouteTests {
    @Test func `a channel is created by generated token or app secret: 201, a lower-case UUID and its URL`()
        async throws
    {
        try await DeviceStage.open { stage in
            let payload = #"{"channel":{"device_type":"ios","opt_in":true},"identity_hints":{"user_id":"x"}}"#
            for path in ["/api/channels", "/api/channels/"] {
                let made = await stage.call(.post, path, stage.acme.basic, payload)
                #expect(made.status == 201)
                let id = try #require(try made.json["channel_id"]?.asText)
                #expect(UUID(uuidString: id) != nil && id == id.lowercased())
                #expect(made.headers["location"] == "http://127.0.0.1:8080/api/channels/\(id)")
            }
            _ = try await Phone.newChannel(stage, stage.acme)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"channel":[]}"#, #"{"channel":{}}"#, #"{"channel":{"device_type":"toaster"}}"#,
        #"{"channel":{"device_type":7}}"#, #"{"channel":{"device_type":"ios","opt_in":"yes"}}"#,
        #"{"channel":{"device_type":"ios","set_tags":true,"tags":["a\u0000"]}}"#,
        #"{"channel":{"device_type":"ios","set_tags":true,"tags":[1]}}"#,
        #"{"channel":{"device_type":"ios","push_address":"\u0000"}}"#,
    ])
    func `a payload that says nothing usable is 400`(body: String) async throws {
        try await DeviceStage.open { stage in
            #expect(await stage.call(.post, "/api/channels", stage.acme.basic, body).status == 400)
        }
    }

    @Test func `unknown keys, nulls and odd details of a payload are no errors`() async throws {
        try await DeviceStage.open { stage in
            let payload = """
                {"channel":{"device_type":"amazon","opt_in":null,"tags":null,"timezone":"a\\u0000b","contact_id":"x",
                "location_settings":true,"android_api_version":34,"permissions":{"p":"granted"},"x":[1]},"y":null}
                """
            #expect(await stage.call(.post, "/api/channels", stage.acme.basic, payload).status == 201)
        }
    }

    @Test func `an update is 200 for a known channel and 409 for any other`() async throws {
        try await DeviceStage.open { stage in
            let known = try await Phone.newChannel(stage, stage.acme)
            let foreign = try await Phone.newChannel(stage, stage.globex)
            let unknown = "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"
            for (channel, status) in [
                (known, 200), (known.uppercased(), 200), (foreign, 409), (unknown, 409),
            ] {
                let token = try await Phone.channelToken(stage, stage.acme, channel)
                let answer = await stage.call(
                    .put, "/api/channels/\(channel)", "Bearer \(token)", #"{"channel":{"opt_in":false}}"#,
                    headers: ["X-UA-Appkey": stage.acme.key, "X-UA-Auth-Type": "SDK-JWT"])
                #expect(answer.status == status)
                let old = await stage.call(
                    .put, "/api/channels/\(channel)/", stage.acme.basic, #"{"channel":{}}"#)
                #expect(old.status == status)
            }
        }
    }

    @Test func `tags of payload and batch decide who gets a message`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let path = "/api/channels/\(phone.channel)"
            let set = #"{"channel":{"device_type":"ios","set_tags":true,"tags":["a","b"]}}"#
            #expect(await stage.call(.put, path, stage.acme.basic, set).status == 200)
            let change = #"{"channel":{"tag_changes":{"add":["c"],"remove":["a"]}}}"#
            #expect(await stage.call(.put, path, stage.acme.basic, change).status == 200)
            let batch = #"{"tags":{"add":{"plan":["gold"]}},"attributes":[{"x":1}]}"#
            let batchPath = "/api/channels/sdk/batch/\(phone.channel)?platform=ios"
            #expect(await stage.call(.put, batchPath, stage.acme.basic, batch).status == 200)
            #expect(await stage.call(.put, batchPath, stage.acme.basic, #"{"attributes":[]}"#).status == 200)
            var sent: [String] = []
            for (tag, group) in [
                ("a", "device"), ("b", "device"), ("c", "device"), ("gold", "plan"), ("gold", "device"),
            ] {
                sent.append(try await stage.backend.send(to: .tags([tag], group: group), in: stage.acme))
            }
            #expect(Set(try await phone.list().ids) == Set(sent[1...3]))
        }
    }

    @Test func `a token is for its channel only`() async throws {
        try await DeviceStage.open { stage in
            let one = try await Phone.newChannel(stage, stage.acme)
            let other = try await Phone.newChannel(stage, stage.acme)
            let token = try await Phone.channelToken(stage, stage.acme, one)
            let headers: Headers = ["X-UA-Appkey": stage.acme.key, "X-UA-Auth-Type": "SDK-JWT"]
            let body = #"{"channel":{}}"#
            #expect(
                await stage.call(.put, "/api/channels/\(one)", "Bearer \(token)", body, headers: headers)
                    .status == 200)
            #expect(
                await stage.call(.put, "/api/channels/\(other)", "Bearer \(token)", body, headers: headers)
                    .status == 401)
            let user = #"{"ios_channels":["\#(other)"]}"#
            #expect(
                await stage.call(.post, "/api/user/", "Bearer \(token)", user, headers: headers).status == 401
            )
            let foreign: Headers = ["X-UA-Appkey": stage.globex.key, "X-UA-Auth-Type": "SDK-JWT"]
            #expect(
                await stage.call(.put, "/api/channels/\(one)", "Bearer \(token)", body, headers: foreign)
                    .status == 401)
        }
    }

    @Test func `a token ends after an hour, and with the app secret that it came from`() async throws {
        try await DeviceStage.open { stage in
            let channel = try await Phone.newChannel(stage, stage.acme)
            let token = try await Phone.channelToken(stage, stage.acme, channel)
            func status() async -> Int {
                await stage.call(
                    .put, "/api/channels/\(channel)", "Bearer \(token)", #"{"channel":{}}"#,
                    headers: ["X-UA-Appkey": stage.acme.key]
                ).status
            }
            try await stage.advance(seconds: 3000)
            #expect(await status() == 200)
            try await stage.advance(seconds: 3610)
            #expect(await status() == 401)
            try await stage.advance(seconds: 0)
            #expect(await status() == 200)
            try await stage.script("UPDATE app_secrets SET digest = sha256(digest)")
            #expect(await status() == 401)
        }
    }

    @Test func `the signature, its time, its app and its channel must be right`() async throws {
        try await DeviceStage.open { stage in
            let channel = try await Phone.newChannel(stage, stage.acme)
            func status(_ headers: Headers) async -> Int {
                await stage.call(.get, "/api/auth/device", headers["Authorization"], headers: headers.rest)
                    .status
            }
            #expect(await status(Phone.generatedToken(stage.acme, channel: channel)) == 200)
            #expect(await status(Phone.generatedToken(stage.acme, channel: channel, newline: false)) == 200)
            #expect(await status(Phone.generatedToken(stage.acme, channel: channel.uppercased())) == 200)
            let now = Date(timeIntervalSinceNow: 0)
            for (offset, expected) in [(-3600.0, 200), (3600, 200), (-90_000, 401), (90_000, 401)] {
                let time = ISO8601DateFormatter().string(from: now.addingTimeInterval(offset))
                #expect(
                    await status(Phone.generatedToken(stage.acme, channel: channel, at: time)) == expected)
                let zoneless = String(time.dropLast())
                #expect(
                    await status(Phone.generatedToken(stage.acme, channel: channel, at: zoneless)) == expected
                )
            }
            for (name, value) in [
                ("X-UA-Nonce", "other"), ("X-UA-Timestamp", "2026-11-30T00:00:00Z"),
                ("X-UA-Timestamp", "today"),
                ("X-UA-Appkey", stage.globex.key), ("X-UA-Appkey", "x"), ("Authorization", "Bearer AAAA"),
                ("X-UA-Channel-ID", "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"),
            ] {
                var headers = Phone.generatedToken(stage.acme, channel: channel)
                headers[name] = value
                #expect(await status(headers) == 401, "\(name)")
            }
        }
    }

    @Test func `a channel's signature does not pass for the app's`() async throws {
        try await DeviceStage.open { stage in
            let channel = try await Phone.newChannel(stage, stage.acme)
            var headers = Phone.generatedToken(stage.acme, channel: channel)
            let nonce = try #require(headers["X-UA-Nonce"])
            headers["X-UA-Nonce"] = "\(channel):\(nonce)"
            headers["X-UA-Channel-ID"] = nil
            let answer = await stage.call(
                .post, "/api/channels", headers["Authorization"], #"{"channel":{"device_type":"ios"}}"#,
                headers: headers.rest)
            #expect(answer.status == 401)
        }
    }

    @Test func `expires_in is in milliseconds`() async throws {
        try await DeviceStage.open { stage in
            let headers: Headers = ["X-UA-Channel-ID": "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"]
            let answer = await stage.call(.get, "/api/auth/device", stage.acme.basic, headers: headers)
            #expect(answer.status == 200)
            let json = try answer.json
            #expect(json["expires_in"]?.asInteger == 3_600_000)
            #expect(await stage.call(.get, "/api/auth/device", stage.acme.basic).status == 400)
        }
    }
}
