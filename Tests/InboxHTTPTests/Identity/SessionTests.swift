import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct SessionTests {
    private func master(_ app: DeviceStage.App) -> String {
        DeviceStage.App.basic(app.key, app.masterSecret)
    }

    private let ana = Audience.namedUsers([NamedUserID(stored: "ana")])

    @Test func `a session sees its person's inbox, and the broadcasts since the person came to be`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let early = try await stage.backend.send(to: .everyone, in: stage.acme)
            let session = try await stage.session(of: " ana ", in: stage.acme)
            let own = try await stage.backend.send(to: ana, in: stage.acme)
            let late = try await stage.backend.send(to: .everyone, in: stage.acme)
            let list = await stage.call(.get, "/v1/inbox", "Bearer \(session.token)")
            #expect(list.status == 200)
            #expect(list.text.contains(own) && list.text.contains(late) && !list.text.contains(early))
            #expect(list.text.contains(#""inbox":"person""#) && list.text.contains(#""inbox":"app""#))
            let read = await stage.call(
                .post, "/v1/inbox/read", "Bearer \(session.token)", #"{"ids":["\#(own)","\#(late)"]}"#)
            #expect(try read.json["unread_count"]?.asInteger == 0)
            let body = await stage.call(.get, "/v1/inbox/messages/\(own)/body", "Bearer \(session.token)")
            #expect(body.headers["content-security-policy"] == "sandbox allow-scripts")
            // The person's phone shows the same state.
            let phone = try await Phone.register(stage)
            #expect(try await phone.logIn(as: "ana").json["unread_count"]?.asInteger == 0)
        }
    }

    @Test func `the answer names token, user, person and end`() async throws {
        try await DeviceStage.open { stage in
            let answer = await stage.call(
                .post, "/v1/sessions", master(stage.acme), #"{"named_user_id":"cafe\u0301","expires_in":60}"#)
            let json = try answer.json
            #expect(answer.status == 201 && json["named_user_id"]?.asText == "caf\u{E9}")
            let token = try #require(json["token"]?.asText)
            let user = try #require(json["user_id"]?.asText)
            #expect(token.utf8.count == 44 && token.hasPrefix(user))
            let expires = try #require(json["expires"]?.asText)
            #expect(expires.utf8.count == "2026-11-30T20:00:00.000Z".utf8.count && expires.hasSuffix("Z"))
        }
    }

    @Test(arguments: [
        ("59", 400), ("60", 201), ("86400", 201), ("86401", 400), ("0", 400), ("-1", 400), ("1.5", 400),
        (#""60""#, 400), ("1e3", 400), ("null", 201), ("true", 400), ("99999999999999999999", 400),
    ])
    func `a session lives from a minute to a day`(life: String, status: Int) async throws {
        try await DeviceStage.open { stage in
            let answer = await stage.call(
                .post, "/v1/sessions", master(stage.acme), #"{"named_user_id":"ana","expires_in":\#(life)}"#)
            #expect(answer.status == status)
            let field = try answer.json["field"]?.asText
            #expect(field == (status == 400 ? "expires_in" : nil))
        }
    }

    @Test func `from the moment of its end a session is 401`() async throws {
        try await DeviceStage.open { stage in
            let answer = await stage.call(
                .post, "/v1/sessions", master(stage.acme), #"{"named_user_id":"ana","expires_in":3600}"#)
            let token = try #require(try answer.json["token"]?.asText)
            try await stage.advance(seconds: 3500)
            #expect(await stage.call(.get, "/v1/inbox", "Bearer \(token)").status == 200)
            try await stage.advance(seconds: 3600)
            let late = await stage.call(.get, "/v1/inbox", "Bearer \(token)")
            #expect(late.status == 401)
            #expect(await stage.call(.delete, "/v1/session/named-user", "Bearer \(token)").status == 401)
            let user = String(token.prefix(22))
            #expect(await stage.call(.delete, "/v1/sessions/\(user)", master(stage.acme)).status == 404)
        }
    }

    @Test func `a session ends by its own log-out, and by the backend, with the next call`() async throws {
        try await DeviceStage.open { stage in
            let own = try await stage.session(of: "ana", in: stage.acme)
            let other = try await stage.session(of: "ana", in: stage.acme)
            let out = await stage.call(.delete, "/v1/session/named-user", "Bearer \(own.token)")
            #expect(out.status == 204 && out.body.isEmpty)
            #expect(await stage.call(.get, "/v1/inbox", "Bearer \(own.token)").status == 401)
            #expect(await stage.call(.get, "/v1/inbox", "Bearer \(other.token)").status == 200)
            let path = "/v1/sessions/\(other.user)"
            #expect(await stage.call(.delete, path, master(stage.acme)).status == 204)
            #expect(await stage.call(.get, "/v1/inbox", "Bearer \(other.token)").status == 401)
            #expect(await stage.call(.delete, path, master(stage.acme)).status == 404)
        }
    }

    @Test func `a session cannot log in as somebody else`() async throws {
        try await DeviceStage.open { stage in
            let session = try await stage.session(of: "ana", in: stage.acme)
            let answer = await stage.call(
                .put, "/v1/session/named-user", "Bearer \(session.token)", #"{"named_user_id":"ben"}"#)
            #expect(answer.status == 403)
            #expect(await stage.call(.get, "/v1/inbox", "Bearer \(session.token)").status == 200)
        }
    }

    @Test func `a browser whose session is refused is not made to ask for a password`() async throws {
        try await DeviceStage.open { stage in
            let token = try await stage.session(of: "ana", in: stage.acme).token
            let refused = ["Bearer \(token.reversed())", "bearer x", "Bearer \(token)A"]
            for path in ["/v1/inbox", "/v1/inbox/events", "/v1/messages", "/v1/session/named-user"] {
                for authorization in refused {
                    let answer = await stage.call(
                        path.hasPrefix("/v1/session") ? .delete : .get, path, authorization)
                    #expect(answer.status == 401, "\(path)")
                    let challenges = answer.headers.values(of: "www-authenticate")
                    #expect(challenges.count == 1 && challenges[0].hasPrefix("Bearer "), "\(path)")
                }
                for authorization in [nil, DeviceStage.App.basic("a", "b"), "Digest a"] {
                    let answer = await stage.call(
                        path.hasPrefix("/v1/session") ? .delete : .get, path, authorization)
                    let challenges = answer.headers.values(of: "www-authenticate")
                    #expect(answer.status == 401 && challenges.count == 1)
                    #expect(challenges[0].hasPrefix("Basic "), "\(path)")
                }
            }
        }
    }

    @Test func `a token of another form or secret, or shown in another way, is 401`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let (token, user) = try await stage.session(of: "ana", in: stage.acme)
            let secret = String(token.dropFirst(22))
            let wrong = [
                "Bearer \(token.dropLast())", "Bearer \(token)A", "Bearer \(secret)\(user)", "Bearer \(user)",
                "Bearer \(user)\(String(secret.reversed()))", "Bearer ",
                "Bearer \(user)\(phone.password)", "Bearer \(phone.user)\(phone.password)",
                DeviceStage.App.basic(user, secret), DeviceStage.App.basic(token, ""),
            ]
            for authorization in wrong where authorization != "Bearer \(token)" {
                #expect(await stage.call(.get, "/v1/inbox", authorization).status == 401, "\(authorization)")
            }
            #expect(await stage.call(.get, "/v1/inbox", "bearer  \(token)").status == 200)
            #expect(await stage.call(.get, "/api/user/\(user)/messages", "Bearer \(token)").status == 401)
            let basic = DeviceStage.App.basic(user, secret)
            #expect(await stage.call(.get, "/api/user/\(user)/messages", basic).status == 401)
        }
    }

    @Test func `rule 12: another app's backend ends no session, and nobody ends a device's user so`()
        async throws
    {
        try await DeviceStage.open { stage in
            let session = try await stage.session(of: "ana", in: stage.acme)
            let phone = try await Phone.register(stage)
            let calls = [
                (session.user, stage.globex), (phone.user, stage.acme), ("x", stage.acme),
                (session.token, stage.acme), ("AAAAAAAAAAAAAAAAAAAAAA", stage.acme),
            ]
            for (user, app) in calls {
                #expect(await stage.call(.delete, "/v1/sessions/\(user)", master(app)).status == 404)
            }
            #expect(await stage.call(.get, "/v1/inbox", "Bearer \(session.token)").status == 200)
            #expect(try await phone.list().status == 200)
        }
    }

    @Test func `who may send may open and end sessions, and the audit says who did`() async throws {
        try await DeviceStage.open { stage in
            let sender = try await stage.token(of: stage.acme, for: [.send])
            let reader = try await stage.token(of: stage.acme, for: [.read, .admin]).text
            let body = #"{"named_user_id":"ana"}"#
            #expect(await stage.call(.post, "/v1/sessions", "Bearer \(reader)", body).status == 403)
            let made = await stage.call(.post, "/v1/sessions", "Bearer \(sender.text)", body)
            let user = try #require(try made.json["user_id"]?.asText)
            let path = "/v1/sessions/\(user)"
            #expect(await stage.call(.delete, path, "Bearer \(reader)").status == 403)
            #expect(await stage.call(.delete, path, "Bearer \(sender.text)").status == 204)
            let audit = await stage.call(.get, "/v1/audit", "Bearer \(reader)").text
            for action in ["session.open", "session.end"] {
                #expect(
                    audit.contains(
                        #""actor":"token:\#(sender.id.text)","action":"\#(action)","subject":"\#(user)""#),
                    "\(audit)")
            }
        }
    }

    @Test(arguments: ["", "{}", #"{"named_user_id":""}"#, #"{"named_user_id":"ana","life":60}"#])
    func `a body that names nobody, or says more, is 400`(body: String) async throws {
        try await DeviceStage.open { stage in
            #expect(await stage.call(.post, "/v1/sessions", master(stage.acme), body).status == 400)
        }
    }
}
