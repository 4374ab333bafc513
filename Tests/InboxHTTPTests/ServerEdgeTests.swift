import HTTPCore
import InboxWire
import Testing

struct ServerEdgeTests {
    static let routes: [(HTTPCore.Method, String)] = [
        (.post, "/api/push"), (.post, "/api/push/validate/"),
        (.delete, "/api/user/messages/AAAAAAAAAAAAAAAAAAAAAA"),
        (.get, "/api/channels/00112233-4455-6677-8899-aabbccddeeff"), (.post, "/api/channels/tags/"),
        (.get, "/api/named_users/?id=a"), (.post, "/api/named_users/associate"),
        (.post, "/api/named_users/disassociate/"), (.post, "/api/named_users/tags"), (.post, "/v1/messages"),
        (.get, "/v1/messages/"), (.get, "/v1/messages/AAAAAAAAAAAAAAAAAAAAAA"),
        (.delete, "/v1/messages/AAAAAAAAAAAAAAAAAAAAAA"),
    ]

    @Test func `every route refuses whoever is not the app's backend`() async throws {
        try await ServerStage.open { stage in
            let foreign = stage.acme.basic(stage.globex.masterSecret)
            let wrong = [nil, foreign, "Basic !", "Bearer \(stage.acme.masterSecret)", "Basic Og=="]
            for (method, target) in ServerEdgeTests.routes {
                for authorization in wrong {
                    let answer = await stage.call(method, target, as: authorization, "{}")
                    #expect(answer.status == 401, "\(method) \(target) \(authorization ?? "none")")
                    let isBearers = target.hasPrefix("/v1") && authorization?.hasPrefix("Bearer") == true
                    let challenge = answer.response.headers["www-authenticate"]
                    #expect(challenge?.hasPrefix(isBearers ? "Bearer" : "Basic") == true)
                    #expect(answer.json != .null)
                }
            }
        }
    }

    @Test func `the app's own secret opens no route of backends`() async throws {
        try await ServerStage.open { stage in
            // Association is open to devices too, and has its own rules there.
            for (method, target) in ServerEdgeTests.routes where !target.contains("associate") {
                let answer = await stage.call(method, target, as: stage.acme.device, "{}")
                #expect(answer.status == 401, "\(method) \(target)")
            }
        }
    }

    @Test func `a 401 has the vendor's body and media type`() async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(.post, "/api/push", as: nil)
            #expect(answer.response.headers["content-type"] == "application/vnd.urbanairship+json; version=3")
            #expect(answer.json["error"]?.text == "Unauthorized")
            #expect(answer.json["error_code"]?.integer == 40101)
            #expect(answer.json["details"] == nil)
        }
    }

    @Test func `the version is asked for in Accept`() async throws {
        let cases = [
            ("application/vnd.urbanairship+json; version=3", 200),
            ("application/vnd.urbanairship+json;version=3;", 200),
            ("application/vnd.urbanairship+json; version=\"3\"", 200),
            ("text/html, application/vnd.urbanairship+json ; Version=3", 200),
            ("*/*", 200), ("text/html, */*; q=0.1", 200),
            ("application/vnd.urbanairship+json; version=1", 406),
            ("application/vnd.urbanairship+json", 406), ("application/json", 406),
            ("application/json; version=33", 406), ("", 406),
        ]
        try await ServerStage.open { stage in
            for (accept, status) in cases {
                let answer = await stage.call(
                    .post, "/api/push/validate", as: stage.acme.master, push(#""all""#),
                    headers: ["Accept": accept])
                #expect(answer.status == status)
            }
        }
    }

    @Test func `without Accept every version is accepted`() async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(
                .post, "/api/push/validate", as: stage.acme.master, push(#""all""#), headers: [:])
            #expect(answer.status == 200)
        }
    }

    @Test func `Content-Encoding is not believed, and what is compressed is refused`() async throws {
        try await ServerStage.open { stage in
            let headers: Headers = ["Accept": "*/*", "Content-Encoding": "gzip"]
            let plain = await stage.call(
                .post, "/api/push/validate", as: stage.acme.master, push(#""all""#), headers: headers)
            #expect(plain.status == 200)
            let packed = await stage.call(
                .post, "/api/push/validate", as: stage.acme.master, bytes: [0x1F, 0x8B, 0x08, 0x00],
                headers: headers)
            #expect(packed.status == 415)
            #expect(packed.json["error_code"]?.integer == 41500)
        }
    }

    @Test func `a wrong method is 405 and says what is allowed`() async throws {
        try await ServerStage.open { stage in
            for target in ["/api/push", "/api/push/", "/api/named_users/associate", "/v1/messages/x"] {
                let answer = await stage.call(.put, target, as: stage.acme.master)
                #expect(answer.status == 405)
                #expect(answer.response.headers["allow"]?.isEmpty == false)
                #expect(answer.json != .null)
            }
        }
    }

    @Test func `a body that is nothing of use is 400 on every route that takes one`() async throws {
        let cases = ["", "{", "[]", "null", "7", "\"all\"", "{}", "[{}]"]
        try await ServerStage.open { stage in
            for body in cases {
                for (method, target) in ServerEdgeTests.routes where method == .post {
                    let answer = await stage.call(method, target, as: stage.acme.master, body)
                    #expect(answer.status == 400, "\(target)")
                    let isProblem = target.hasPrefix("/v1")
                    let type =
                        isProblem
                        ? "application/problem+json" : "application/vnd.urbanairship+json; version=3"
                    #expect(answer.response.headers["content-type"] == type)
                    #expect(answer.json[isProblem ? "code" : "error"] != nil)
                }
            }
        }
    }
}
