import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import Testing

@Suite struct BackendTokenTests {
    private static let message = #"{"audience":{"named_user":["ana"]},"message":{"title":"T","body":"B"}}"#
    private static let push =
        #"{"audience":{"named_user":"ana"},"device_types":"all","message":{"title":"T","body":"B"}}"#

    /// A call of each scope on each surface.
    private static let calls: [(scope: TokenScope, method: HTTPCore.Method, path: String, body: String)] = [
        (.send, .post, "/v1/messages", message), (.send, .delete, "/v1/messages/AAAAAAAAAAAAAAAAAAAAAA", ""),
        (.read, .get, "/v1/messages", ""), (.read, .get, "/v1/messages/AAAAAAAAAAAAAAAAAAAAAA", ""),
        (.send, .post, "/api/push", push), (.send, .post, "/api/push/validate", push),
        (.send, .delete, "/api/user/messages/AAAAAAAAAAAAAAAAAAAAAA", ""),
        (.read, .get, "/api/channels/2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f", ""),
        (.read, .get, "/api/named_users?id=ana", ""),
        (.send, .post, "/api/channels/tags", #"{"audience":{"ios_channel":[]},"add":{"g":["t"]}}"#),
        (.send, .post, "/api/named_users/tags", #"{"audience":{"named_user_id":[]},"add":{"g":["t"]}}"#),
        (
            .send, .post, "/api/named_users/associate",
            #"{"channel_id":"2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f","named_user_id":"ana"}"#
        ),
        (
            .send, .post, "/api/named_users/disassociate",
            #"{"channel_id":"2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"}"#
        ),
    ]

    @Test func `a token does what its scope says, on either API, and no scope implies another`() async throws
    {
        try await DeviceStage.open { stage in
            var tokens: [TokenScope: String] = [:]
            for scope in TokenScope.allCases {
                tokens[scope] = try await stage.token(of: stage.acme, for: [scope]).text
            }
            let all = try await stage.token(of: stage.acme, for: Set(TokenScope.allCases)).text
            for call in BackendTokenTests.calls {
                for (scope, token) in tokens {
                    let answer = await stage.call(call.method, call.path, "Bearer \(token)", call.body)
                    let isRefused = answer.status == 403
                    #expect(isRefused == (scope != call.scope), "\(call.path): \(answer.text)")
                    if isRefused { #expect(answer.text.contains("scope \(call.scope.rawValue)")) }
                    #expect(answer.status != 401)
                }
                let answer = await stage.call(call.method, call.path, "Bearer \(all)", call.body)
                #expect(![401, 403].contains(answer.status), "\(call.path): \(answer.text)")
            }
        }
    }

    @Test func `who sent is told by the token's id`() async throws {
        try await DeviceStage.open { stage in
            let token = try await stage.token(of: stage.acme, for: [.send])
            let call = Call(
                Request(.get, "/", headers: ["Authorization": "Bearer \(token.text)"]), place: PublicBase("x")
            )
            #expect(try await stage.shard.backend(call, .send).actor == "token:\(token.id.text)")
            let master = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            let other = Call(Request(.get, "/", headers: ["Authorization": master]), place: PublicBase("x"))
            #expect(try await stage.shard.backend(other, .admin).actor == "master")
        }
    }

    @Test func `a header that names another app than the token's is 401`() async throws {
        try await DeviceStage.open { stage in
            let token = try await stage.token(of: stage.acme, for: [.read]).text
            for (key, status) in [(stage.acme.key, 200), (stage.globex.key, 401), ("", 401)] {
                for name in ["X-UA-Appkey", "x-ua-app-key"] {
                    let answer = await stage.call(
                        .get, "/v1/messages", "Bearer \(token)", headers: [name: key])
                    #expect(answer.status == status)
                }
            }
        }
    }

    @Test
    func `a token that is unknown, of another form or another kind is 401, and how to do better is said`()
        async throws
    {
        try await DeviceStage.open { stage in
            let token = try await stage.token(of: stage.acme, for: [.read]).text
            let wrong = [
                stage.acme.secret, stage.acme.masterSecret, String(token.reversed()), token + "A",
                String(token.dropLast()), "", token.lowercased() + token.uppercased(),
            ]
            for text in wrong where text != token {
                for (path, scheme) in [
                    ("/v1/messages", #"Bearer realm="martlet", error="invalid_token""#),
                    ("/api/named_users?id=ana", #"Basic realm="martlet", charset="UTF-8""#),
                ] {
                    let answer = await stage.call(.get, path, "Bearer \(text)")
                    #expect(answer.status == 401)
                    let advice = answer.headers.values(of: "www-authenticate")
                    #expect(advice == [scheme])
                }
            }
            // A token is no password, of devices neither.
            for name in [stage.acme.key, "", token] {
                let basic = DeviceStage.App.basic(name, token)
                #expect(await stage.call(.get, "/v1/messages", basic).status == 401)
                #expect(await stage.call(.post, "/api/user/", basic, "{}").status == 401)
            }
            let headers: Headers = ["X-UA-Appkey": stage.acme.key]
            #expect(
                await stage.call(.post, "/api/user/", "Bearer \(token)", "{}", headers: headers).status == 401
            )
        }
    }

    @Test func `a token ends when it is revoked, and when it expires, with the next call`() async throws {
        try await DeviceStage.open { stage in
            let revoked = try await stage.token(of: stage.acme, for: [.read])
            let brief = try await stage.token(of: stage.acme, for: [.read], life: .seconds(600)).text
            func status(_ token: String) async -> Int {
                await stage.call(.get, "/v1/messages", "Bearer \(token)").status
            }
            #expect(await status(revoked.text) == 200)
            try await stage.revoke(revoked.id, of: stage.acme)
            #expect(await status(revoked.text) == 401)
            try await stage.advance(seconds: 500)
            #expect(await status(brief) == 200)
            try await stage.advance(seconds: 600)
            #expect(await status(brief) == 401)
        }
    }

    @Test func `a token sees its own app alone`() async throws {
        try await DeviceStage.open { stage in
            let own = try await stage.backend.send(to: .everyone, in: stage.acme)
            let foreign = try await stage.backend.send(to: .everyone, in: stage.globex)
            let token = try await stage.token(of: stage.acme, for: Set(TokenScope.allCases)).text
            let list = await stage.call(.get, "/v1/messages", "Bearer \(token)").text
            #expect(list.contains(own) && !list.contains(foreign))
            for method in [HTTPCore.Method.get, .delete] {
                #expect(await stage.call(method, "/v1/messages/\(foreign)", "Bearer \(token)").status == 404)
            }
        }
    }
}
