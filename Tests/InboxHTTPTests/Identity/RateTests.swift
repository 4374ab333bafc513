import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Platform
import Testing

@Suite struct RateTests {
    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let now = Lock(Duration.seconds(1000))
        var uptime: Duration { now.withLock { $0 } }
        func advance(by time: Duration) { now.withLock { $0 += time } }
    }

    private func open(
        _ limits: RateLimits, proxies: [String] = [],
        _ body: @escaping @Sendable (DeviceStage, Clock) async throws -> Void
    ) async throws {
        let clock = Clock()
        try await DeviceStage.open { stage in
            var configuration = stage.configuration
            configuration.rates = RequestRates(limits) { clock.uptime }
            configuration.trustedProxies = proxies
            let limited = DeviceStage(
                acme: stage.acme, globex: stage.globex, shard: stage.shard, backend: stage.backend,
                url: stage.url, configuration: configuration)
            try await limited.onAnotherInstance { try await body($0, clock) }
        }
    }

    /// No limit but those that a test sets.
    private var off: RateLimits {
        var limits = RateLimits()
        limits.requestsPerCredential = 0
        limits.requestsPerApp = 0
        limits.failedLoginsPerAddress = 0
        return limits
    }

    private func expectRefusal(_ answer: Response, _ name: String, _ value: Int, after seconds: Int) throws {
        #expect(answer.status == 429 && answer.headers["retry-after"] == "\(seconds)", "\(answer.text)")
        let json = try answer.json
        if json["ok"] == nil {
            #expect(json["code"]?.asText == "rate_limited")
            #expect(
                json["limit"]?["name"]?.asText == name && json["limit"]?["value"]?.asInteger == Int64(value))
        } else {
            #expect(json["error_code"]?.asInteger == 42901)
            #expect(json["details"]?["error"]?.asText?.contains("limit \(name) is \(value)") == true)
        }
    }

    @Test func `a credential may ask so often, and after a burst as often as its rate says, on either API`()
        async throws
    {
        var limits = off
        limits.requestsPerCredential = 2
        limits.credentialBurst = 5
        try await open(limits) { stage, clock in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            for _ in 0..<5 { #expect(try await phone.list().status == 200) }
            try self.expectRefusal(
                await phone.call(.get, "/messages/"), "requests_per_credential", 2, after: 1)
            try self.expectRefusal(
                await stage.call(.get, "/v1/inbox", phone.basic), "requests_per_credential", 2, after: 1)
            #expect(try await other.list().status == 200, "another device has its own")
            clock.advance(by: .milliseconds(499))
            #expect(await stage.call(.get, "/v1/inbox", phone.basic).status == 429)
            clock.advance(by: .milliseconds(1))
            #expect(await stage.call(.get, "/v1/inbox", phone.basic).status == 200)
            #expect(await stage.call(.get, "/v1/inbox", phone.basic).status == 429)
        }
    }

    @Test func `who guesses passwords uses up nothing of the device`() async throws {
        var limits = off
        limits.requestsPerCredential = 1
        limits.credentialBurst = 2
        try await open(limits) { stage, _ in
            let phone = try await Phone.register(stage)
            for _ in 0..<20 {
                let wrong = DeviceStage.App.basic(phone.user, "x")
                #expect(await stage.call(.get, "/v1/inbox", wrong).status == 401)
            }
            #expect(await stage.call(.get, "/v1/inbox", phone.basic).status == 200)
            #expect(await stage.call(.get, "/v1/inbox", phone.basic).status == 200)
            #expect(await stage.call(.get, "/v1/inbox", phone.basic).status == 429)
        }
    }

    @Test func `a session and a device's token have the rate of a credential, an app secret has none`()
        async throws
    {
        var limits = off
        limits.requestsPerCredential = 1
        limits.credentialBurst = 2
        try await open(limits) { stage, _ in
            let session = try await stage.session(of: "ana", in: stage.acme)
            for status in [200, 200, 429] {
                #expect(await stage.call(.get, "/v1/inbox", "Bearer \(session.token)").status == status)
            }
            let channel = try await Phone.newChannel(stage, stage.acme)
            for status in [200, 200, 429] {
                let headers = Phone.generatedToken(stage.acme, channel: channel)
                let answer = await stage.call(
                    .get, "/api/auth/device", headers["Authorization"], headers: headers.rest)
                #expect(answer.status == status)
            }
            for _ in 0..<5 {
                let body = #"{"channel":{"device_type":"ios"}}"#
                #expect(await stage.call(.post, "/api/channels", stage.acme.basic, body).status == 201)
            }
        }
    }

    @Test func `all backends of an app share its rate, on either API, and each app has its own`() async throws
    {
        var limits = off
        limits.requestsPerApp = 4
        try await open(limits) { stage, clock in
            let token = try await stage.token(of: stage.acme, for: [.read]).text
            let master = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            for authorization in [master, "Bearer \(token)", master, "Bearer \(token)"] {
                #expect(await stage.call(.get, "/v1/messages", authorization).status == 200)
            }
            for path in ["/v1/messages", "/api/named_users?id=ana"] {
                for authorization in [master, "Bearer \(token)"] {
                    try self.expectRefusal(
                        await stage.call(.get, path, authorization), "requests_per_app", 4, after: 1)
                }
            }
            let foreign = DeviceStage.App.basic(stage.globex.key, stage.globex.masterSecret)
            #expect(await stage.call(.get, "/v1/messages", foreign).status == 200)
            clock.advance(by: .milliseconds(250))
            #expect(await stage.call(.get, "/v1/messages", master).status == 200)
        }
    }

    @Test func `after so many failed logins an address waits, whatever it shows then`() async throws {
        var limits = off
        limits.failedLoginsPerAddress = 3
        try await open(limits) { stage, clock in
            let phone = try await Phone.register(stage)
            func status(_ authorization: String?, _ path: String = "/v1/inbox") async -> Int {
                await stage.call(.get, path, authorization).status
            }
            #expect(await status(nil) == 401, "who shows nothing guesses nothing")
            let wrong = [
                DeviceStage.App.basic(phone.user, "x"), "Bearer \(phone.user)\(phone.user)",
                DeviceStage.App.basic(stage.acme.key, "x"),
            ]
            for authorization in wrong { #expect(await status(authorization) == 401) }
            for authorization in wrong + [phone.basic] {
                for path in ["/v1/inbox", "/api/user/\(phone.user)/messages"] {
                    try self.expectRefusal(
                        await stage.call(.get, path, authorization), "failed_logins_per_address", 3, after: 20
                    )
                }
            }
            #expect(await status(nil, "/readyz") == 200, "operators are asked nothing")
            clock.advance(by: .seconds(20))
            #expect(await status(phone.basic) == 200)
            #expect(await status(wrong[0]) == 401)
            #expect(await status(phone.basic) == 429)
        }
    }

    @Test func `an address is the client's where a trusted proxy says so, and the peer's elsewhere`()
        async throws
    {
        var limits = off
        limits.failedLoginsPerAddress = 1
        try await open(limits, proxies: ["10.0.0.0/8"]) { stage, _ in
            func status(_ peer: String, _ forwarded: String?) async -> Int {
                var headers: Headers = ["Authorization": "Basic x", "Host": "127.0.0.1"]
                if let forwarded { headers.add("X-Forwarded-For", forwarded) }
                let request = Request(.get, "/v1/inbox", headers: headers, peer: peer)
                return await stage.shard.answered(request).status
            }
            #expect(await status("10.0.0.1", "192.0.2.1") == 401)
            #expect(await status("10.0.0.2", "192.0.2.1") == 429, "another proxy, the same client")
            #expect(await status("10.0.0.1", "192.0.2.2") == 401)
            #expect(
                await status("10.0.0.1", "192.0.2.9, 192.0.2.2, 10.1.1.1") == 429,
                "what clients add is theirs")
            #expect(await status("192.0.2.3", "192.0.2.4") == 401)
            #expect(await status("192.0.2.3", "192.0.2.5") == 429, "no proxy of ours")
            #expect(await status("10.0.0.1", nil) == 401)
            #expect(await status("10.0.0.1", nil) == 429)
            #expect(await status("10.0.0.2", nil) == 401)
        }
    }

    @Test func `0 is no limit`() async throws {
        try await open(off) { stage, _ in
            let phone = try await Phone.register(stage)
            let master = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            for _ in 0..<150 {
                #expect(await stage.call(.get, "/v1/inbox", phone.basic).status == 200)
                #expect(await stage.call(.get, "/v1/inbox", "Basic x").status == 401)
                #expect(await stage.call(.get, "/v1/messages?limit=1", master).status == 200)
            }
        }
    }
}
