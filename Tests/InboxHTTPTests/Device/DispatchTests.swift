import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct DispatchTests {
    @Test func `livez, readyz and version answer under any name of the host`() async throws {
        try await ScriptedStage.open { stage in
            for host in ["localhost", "10.0.0.7:8080", ""] {
                #expect(await stage.call(.get, "/livez", host: host).text == "ok\n")
                #expect(await stage.call(.get, "/readyz/", host: host).status == 200)
                let version = try await stage.call(.get, "/version", host: host).json
                #expect(version["version"] == .string("1.2.3"))
            }
        }
    }

    @Test func `without a database the server lives but is not ready`() async throws {
        try await ScriptedStage.open { stage in
            stage.store.fail(from: 1, with: .unavailable("down"))
            #expect(await stage.call(.get, "/livez").status == 200)
            let ready = await stage.call(.get, "/readyz")
            #expect(ready.status == 503 && ready.headers["content-type"] == "application/problem+json")
        }
    }

    @Test func `an unknown path is 404 in the form of its surface`() async throws {
        try await ScriptedStage.open { stage in
            let vendor = await stage.call(.get, "/api/nothing")
            #expect(vendor.status == 404)
            #expect(vendor.headers["content-type"] == "application/vnd.urbanairship+json; version=3")
            let body = try vendor.json
            #expect(body["error_code"] == .number(JSONNumber(40400)))
            let problem = await stage.call(.get, "/v1/nothing")
            #expect(problem.status == 404 && problem.headers["content-type"] == "application/problem+json")
            let problemBody = try problem.json
            #expect(problemBody["code"] == .string("unknown_path"))
        }
    }

    @Test func `a wrong method is 405 with what is allowed, and OPTIONS is told the same`() async throws {
        try await ScriptedStage.open { stage in
            let wrong = await stage.call(.delete, "/api/user/x/messages")
            #expect(wrong.status == 405 && wrong.headers["allow"] == "GET, HEAD, OPTIONS")
            let options = await stage.call(.options, "/api/user/x/messages/")
            #expect(options.status == 204 && options.headers["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test(arguments: ["/api/user/%/messages", "/api/user/%00/messages", "/api/user/%FF/messages"])
    func `a path that is badly formed is 400`(path: String) async throws {
        try await ScriptedStage.open { stage in #expect(await stage.call(.get, path).status == 400) }
    }

    @Test func `a host that is not ours is 400 before anybody is asked`() async throws {
        try await ScriptedStage.open { stage in
            stage.store.fail(from: 1, with: .unavailable("down"))
            let path = "/api/user/\(ScriptedStage.user.text)/messages"
            #expect(await stage.call(.get, path, ScriptedStage.basicUser, host: "evil.example").status == 400)
        }
    }

    @Test func `published SDKs' Accept and both forms of a path are served, and nothing redirects`()
        async throws
    {
        try await ScriptedStage.open { stage in
            let path = "/api/user/\(ScriptedStage.user.text)"
            let attach = #"{"ios_channels":{"add":["\#(ScriptedStage.channel)"]}}"#
            for (method, path, body) in [
                (HTTPCore.Method.get, path + "/messages", ""), (.get, path + "/messages/", ""),
                (.post, path, attach), (.post, path + "/", attach), (.head, path + "/messages/", ""),
            ] {
                let headers: Headers = [
                    "Host": "localhost", "Authorization": ScriptedStage.basicUser,
                    "Accept": "application/vnd.urbanairship+json; version=3;",
                ]
                let request = Request(method, path, headers: headers, body: Array(body.utf8))
                #expect(await stage.shard.answered(request).status == 200)
            }
        }
    }

    @Test func `a wrong password is 401 each time, and the right one is served in between`() async throws {
        try await ScriptedStage.open { stage in
            let path = "/api/user/\(ScriptedStage.user.text)/messages/"
            let wrong = DeviceStage.App.basic(ScriptedStage.user.text, "q")
            for _ in 0..<200 {
                let answer = await stage.call(.get, path, wrong)
                #expect(answer.status == 401 && answer.headers["www-authenticate"] != nil)
            }
            #expect(await stage.call(.get, path, ScriptedStage.basicUser).status == 200)
        }
    }
}
