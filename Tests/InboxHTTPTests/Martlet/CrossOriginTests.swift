import Crypto
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import TestSupport
import Testing

struct CrossOriginTests {
    private static let shop = "https://shop.example"
    private static let preflight: Headers = [
        "Origin": shop, "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    ]

    @Test func `a page of an origin that an app allows may send credentials and JSON`() async throws {
        try await ServerStage.open { stage in
            try await stage.allow(CrossOriginTests.shop, for: stage.acme)
            let answer = await stage.call(
                .options, "/v1/messages", as: nil, headers: CrossOriginTests.preflight)
            let headers = answer.response.headers
            #expect(answer.status == 204)
            #expect(headers["access-control-allow-origin"] == CrossOriginTests.shop)
            #expect(headers["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS")
            let allowed = headers["access-control-allow-headers"] ?? ""
            #expect(allowed.contains("Authorization") && allowed.contains("Content-Type"))
            #expect(headers["access-control-max-age"] == "600")
            #expect(headers["vary"]?.hasPrefix("Origin") == true)
        }
    }

    @Test(arguments: [
        "https://other.example", "http://shop.example", "https://shop.example:8443",
        "https://shop.example.evil.example",
        "https://shop.example/", "null", "*", "", "https://shop.example, https://other.example",
        "https://" + String(repeating: "a", count: 5000),
    ])
    func `a page of another origin gets no allow header`(origin: String) async throws {
        try await ServerStage.open { stage in
            try await stage.allow(CrossOriginTests.shop, for: stage.acme)
            let preflight = await stage.call(
                .options, "/v1/messages", as: nil,
                headers: ["Origin": origin, "Access-Control-Request-Method": "POST"])
            let real = await stage.call(.get, "/v1/app", as: stage.acme.master, headers: ["Origin": origin])
            #expect(preflight.status == 204 && real.status == 200)
            for answer in [preflight, real] {
                #expect(answer.response.headers["access-control-allow-origin"] == nil)
                #expect(answer.response.headers["vary"]?.contains("Origin") == true)
            }
        }
    }

    @Test func `an answer may be read where the caller's own app allows the page, and no other's`()
        async throws
    {
        try await ServerStage.open { stage in
            try await stage.allow(CrossOriginTests.shop, for: stage.acme)
            let acmes = try await stage.device(stage.acme).user.text
            let globexs = try await stage.device(stage.globex).user.text
            let cases: [(String?, String?)] = [
                (stage.acme.master, CrossOriginTests.shop), (stage.globex.master, nil),
                ("Basic " + Base64.encode(Array("\(acmes):x".utf8)), CrossOriginTests.shop),
                ("Basic " + Base64.encode(Array("\(globexs):x".utf8)), nil),
                // Wrong and ended credentials, too: a page wants to know.
                (stage.acme.basic("wrong"), CrossOriginTests.shop), (stage.globex.basic("wrong"), nil),
                ("Bearer \(acmes)AAAAAAAAAAAAAAAAAAAAAA", CrossOriginTests.shop),
                ("Bearer \(globexs)AAAAAAAAAAAAAAAAAAAAAA", nil), ("Bearer AAAAAAAAAAAAAAAAAAAAAA", nil),
                (nil, nil), ("nonsense", nil),
            ]
            for (authorization, allowed) in cases {
                let answer = await stage.call(
                    .get, "/v1/inbox", as: authorization, headers: ["Origin": CrossOriginTests.shop])
                #expect(
                    answer.response.headers["access-control-allow-origin"] == allowed,
                    "\(authorization ?? "")")
                let exposed = answer.response.headers["access-control-expose-headers"]
                #expect((exposed?.contains("ETag") ?? false) == (allowed != nil))
            }
        }
    }

    @Test func `an origin that was taken off the list may no more`() async throws {
        try await ServerStage.open { stage in
            try await stage.allow(CrossOriginTests.shop, for: stage.acme)
            _ = await stage.call(.patch, "/v1/app", as: stage.acme.master, #"{"cors_origins":[]}"#)
            let preflight = await stage.call(
                .options, "/v1/messages", as: nil, headers: CrossOriginTests.preflight)
            #expect(preflight.response.headers["access-control-allow-origin"] == nil)
        }
    }

    @Test func `OPTIONS without a page behind it says what the path allows`() async throws {
        try await ServerStage.open { stage in
            try await stage.allow(CrossOriginTests.shop, for: stage.acme)
            for headers: Headers in [[:], ["Origin": CrossOriginTests.shop]] {
                let answer = await stage.call(.options, "/v1/messages", as: nil, headers: headers)
                #expect(
                    answer.status == 204 && answer.response.headers["allow"] == "GET, HEAD, POST, OPTIONS")
                #expect(answer.response.headers["access-control-allow-origin"] == nil)
            }
            let unknown = await stage.call(
                .options, "/v1/nothing", as: nil, headers: CrossOriginTests.preflight)
            #expect(unknown.status == 404 && unknown.response.headers["access-control-allow-origin"] == nil)
        }
    }

    @Test func `a call does nothing if the database cannot say whether its page is allowed`() async throws {
        let faults = FaultPlan()
        try await ServerStage.open(faults: faults) { stage in
            faults.fail(call: 1, with: .unavailable("stopped"))
            let answer = await stage.call(
                .patch, "/v1/app", as: stage.acme.master, #"{"inbox_cap":3}"#,
                headers: ["Origin": CrossOriginTests.shop])
            #expect(answer.status == 503)
            let app = await stage.call(.get, "/v1/app", as: stage.acme.master).json
            #expect(app["inbox_cap"]?.integer == 250)
            faults.fail(call: 1, with: .unavailable("stopped"))
            let preflight = await stage.call(
                .options, "/v1/messages", as: nil, headers: CrossOriginTests.preflight)
            #expect(preflight.status == 503)
        }
    }
}

extension ServerStage {
    fileprivate func allow(_ origin: String, for tenant: Tenant) async throws {
        let answer = await call(.patch, "/v1/app", as: tenant.master, #"{"cors_origins":["\#(origin)"]}"#)
        #expect(answer.status == 200)
    }
}
