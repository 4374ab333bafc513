import HTTPCore
import InboxWire
import Testing

@Suite struct RemoteConfigTests {
    @Test func `an SDK learns where everything is, without a slash at the end`() async throws {
        try await DeviceStage.open(publicURL: "https://inbox.example") { stage in
            let headers = Phone.generatedToken(stage.acme, channel: nil)
            let answer = await stage.call(
                .get, "/api/remote-data/app/\(stage.acme.key)/ios?sdk_version=20.7.2&random_value=7",
                headers["Authorization"], headers: headers.rest)
            #expect(answer.status == 200)
            guard case .array(let payloads)? = try answer.json["payloads"] else { throw NoPayloads() }
            for payload in payloads {
                #expect(payload["type"]?.asText == "app_config")
                #expect(payload["timestamp"]?.asText?.utf8.count == 19)
                let urls = try #require(payload["data"]?["airship_config"])
                for name in [
                    "device_api_url", "remote_data_url", "analytics_url", "wallet_url", "metered_usage_url",
                ] {
                    #expect(urls[name]?.asText == "https://inbox.example")
                }
            }
        }
    }

    @Test func `an unchanged configuration is 304; another base URL is another one`() async throws {
        try await DeviceStage.open { stage in
            let path = "/api/remote-data/app/\(stage.acme.key)/android"
            let first = await stage.call(.get, path, stage.acme.basic)
            let date = try #require(first.headers["last-modified"])
            let again = await stage.call(.get, path, stage.acme.basic, headers: ["If-Modified-Since": date])
            #expect(again.status == 304)
            let elsewhere = await stage.call(
                .get, path, stage.acme.basic, headers: ["If-Modified-Since": date, "Host": "localhost:9"])
            #expect(elsewhere.status == 200 && elsewhere.text.contains("http://localhost:9\""))
        }
    }

    @Test func `wrong credentials are 401; without any the public configuration is served`() async throws {
        try await DeviceStage.open { stage in
            let path = "/api/remote-data/app/\(stage.acme.key)/ios"
            #expect(await stage.call(.get, path).status == 200)
            #expect(await stage.call(.get, path, stage.globex.basic).status == 401)
            #expect(await stage.call(.get, path, "Basic eDp5").status == 401)
            for unknown in ["AAAAAAAAAAAAAAAAAAAAAA/ios", "x/ios", "\(stage.acme.key)/web"] {
                #expect(await stage.call(.get, "/api/remote-data/app/\(unknown)").status == 404)
            }
        }
    }

    @Test func `noise is absorbed with 200`() async throws {
        try await DeviceStage.open { stage in
            for path in ["/warp9/", "/warp9", "/api/metered-usage"] {
                #expect(await stage.call(.post, path, nil, "\u{1F}not json").status == 200)
            }
            for path in [
                "/api/channels/restricted/email", "/api/channels/restricted/sms/",
                "/api/contacts/disassociate/x",
            ] {
                let answer = await stage.call(.post, path, stage.acme.basic, "{}")
                #expect(answer.status == 200)
                let json = try answer.json
                #expect(json["channel_id"]?.asText?.utf8.count == 36)
                #expect(await stage.call(.post, path, nil, "{}").status == 401)
            }
            let types = try await stage.call(.get, "/api/contacts/associated_types/x", stage.acme.basic).json
            #expect(types["channels"] == .array([]))
        }
    }

    private struct NoPayloads: Error {}
}
