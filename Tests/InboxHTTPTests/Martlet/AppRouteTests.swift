import HTTPCore
import InboxService
import InboxWire
import Testing

struct AppRouteTests {
    @Test func `an app is shown with its settings`() async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(.get, "/v1/app", as: stage.acme.master)
            #expect(answer.status == 200)
            #expect(
                answer.text
                    == #"{"app_key":"\#(stage.acme.key)","name":"acme","delivery_mode":"person","#
                    + #""identity_mode":"verified","filter_mode":"off","filter_untargeted":false,"#
                    + #""inbox_cap":250,"broadcast_spread_seconds":0,"cors_origins":[]}"#)
        }
    }

    @Test func `what a change names is changed and the rest stays`() async throws {
        try await ServerStage.open { stage in
            let changes = [
                #""delivery_mode":"devices""#, #""identity_mode":"trusted""#, #""filter_mode":"server""#,
                #""filter_untargeted":true"#, #""inbox_cap":10000"#, #""broadcast_spread_seconds":3600"#,
                #""cors_origins":["https://a.example","capacitor://localhost"]"#,
            ]
            var expected = await stage.call(.get, "/v1/app", as: stage.acme.master).json
            for change in changes {
                let answer = await stage.call(.patch, "/v1/app", as: stage.acme.master, "{\(change)}")
                #expect(answer.status == 200)
                expected = try JSON.parse(Array("{\(change)}".utf8)).laid(over: expected)
                #expect(answer.json == expected)
                #expect(await stage.call(.get, "/v1/app", as: stage.acme.master).json == expected)
            }
            let other = await stage.call(.get, "/v1/app", as: stage.globex.master).json
            #expect(other["inbox_cap"]?.integer == 250 && other["cors_origins"] == .array([]))
        }
    }

    @Test func `a change is audited by what it has changed, and one that changes nothing is not`()
        async throws
    {
        try await ServerStage.open { stage in
            let change = #"{"inbox_cap":100,"filter_mode":"off"}"#
            for _ in 0..<2 {
                #expect(await stage.call(.patch, "/v1/app", as: stage.acme.master, change).status == 200)
            }
            let entries = await stage.call(.get, "/v1/audit", as: stage.acme.master).json["entries"]
            #expect(entries?[0]?["action"]?.text == "app.change" && entries?[0]?["actor"]?.text == "master")
            #expect(entries?[0]?["subject"]?.text == "" && entries?[1] == nil)
            #expect(entries?[0]?["detail"] == .object([JSONMember("inbox_cap", .number(JSONNumber(100)))]))
            let at = try #require(entries?[0]?["at"]?.text)
            #expect(CalendarTime(text: at) != nil && at.utf8.count == 24)
            #expect(
                await stage.call(.get, "/v1/audit", as: stage.globex.master).json["entries"] == .array([]))
        }
    }

    @Test func `devices fetch their list anew after a change, and not after one that changes nothing`()
        async throws
    {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let before = try await stage.settingsRevision(of: device)
            _ = await stage.call(.patch, "/v1/app", as: stage.acme.master, #"{"inbox_cap":9}"#)
            _ = await stage.call(.patch, "/v1/app", as: stage.acme.master, #"{"inbox_cap":9}"#)
            _ = await stage.call(.patch, "/v1/app", as: stage.globex.master, #"{"inbox_cap":9}"#)
            #expect(try await stage.settingsRevision(of: device) == before + 1)
        }
    }

    @Test(arguments: [
        (#"{"inbox_cap":1}"#, 200, nil), (#"{"inbox_cap":0}"#, 400, nil),
        (#"{"inbox_cap":10001}"#, 400, 10_000),
        (#"{"inbox_cap":9223372036854775808}"#, 400, nil), (#"{"inbox_cap":1.0}"#, 400, nil),
        (#"{"broadcast_spread_seconds":0}"#, 200, nil), (#"{"broadcast_spread_seconds":-1}"#, 400, nil),
        (#"{"broadcast_spread_seconds":3601}"#, 400, 3600),
        (#"{"filter_mode":"on"}"#, 400, nil), (#"{"filter_mode":null}"#, 400, nil),
        (#"{"filter_untargeted":"yes"}"#, 400, nil), (#"{"delivery_mode":0}"#, 400, nil),
        (#"{"cors_origins":["*"]}"#, 400, nil), (#"{"cors_origins":"https://a.example"}"#, 400, nil),
        (#"{"cors_origins":["https://a.example/"]}"#, 400, nil), (#"{"cors_origins":[null]}"#, 400, nil),
    ])
    func `a setting has its words or its range`(change: String, status: Int, limit: Int64?) async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(.patch, "/v1/app", as: stage.acme.master, change)
            #expect(answer.status == status)
            #expect(answer.json["limit"]?["value"]?.integer == limit)
            if status == 400 {
                let field = try #require(answer.json["field"]?.text)
                #expect(change.contains("\"\(field.prefix { $0 != "[" })\""))
            }
        }
    }

    @Test(arguments: [(100, 200), (101, 400)])
    func `an app has at most 100 origins, each counted once`(count: Int, status: Int) async throws {
        try await ServerStage.open { stage in
            let origins = (0..<count).map { "\"https://\($0).example\"" } + ["\"HTTPS://0.EXAMPLE\""]
            let change = #"{"cors_origins":[\#(origins.joined(separator: ","))]}"#
            let answer = await stage.call(.patch, "/v1/app", as: stage.acme.master, change)
            #expect(answer.status == status)
            #expect(answer.json["limit"]?["name"]?.text == (status == 400 ? "cors_origins" : nil))
            if status == 200 { #expect(answer.json["cors_origins"]?.texts.count == 100) }
        }
    }

    @Test(arguments: ["", "[]", "null", #"{"name":"x"}"#, #"{"app_key":"x"}"#, #"{"inbox_cap":1,"other":1}"#])
    func `a body that says something else is refused, and nothing changes`(body: String) async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(.patch, "/v1/app", as: stage.acme.master, body)
            #expect(answer.status == 400)
            let app = await stage.call(.get, "/v1/app", as: stage.acme.master).json
            #expect(app["inbox_cap"]?.integer == 250)
        }
    }

    @Test func `who sent and who took back is audited, and a repetition is not`() async throws {
        try await ServerStage.open { stage in
            let body = #"{"audience":"all","message":{"title":"Hello","body":"Hi"}}"#
            var id = ""
            for _ in 0..<2 {
                let sent = await stage.call(
                    .post, "/v1/messages", as: stage.acme.master, body, headers: ["Idempotency-Key": "k"])
                id = try #require(sent.json["message_id"]?.text)
            }
            for status in [204, 404] {
                let recalled = await stage.call(.delete, "/v1/messages/\(id)", as: stage.acme.master)
                #expect(recalled.status == status)
            }
            let page = await stage.call(.get, "/v1/audit", as: stage.acme.master).json
            guard case .array(let entries)? = page["entries"] else { return }
            #expect(entries.map { $0["action"]?.text } == ["message.recall", "message.send"])
            for entry in entries {
                #expect(entry["subject"]?.text == id && entry["actor"]?.text == "master")
            }
            #expect(entries[1]["detail"]?["broadcast"] == .bool(true))
        }
    }

    @Test func `the audit is listed newest first, page by page, each once`() async throws {
        try await ServerStage.open { stage in
            for cap in 1...5 {
                _ = await stage.call(.patch, "/v1/app", as: stage.acme.master, #"{"inbox_cap":\#(cap)}"#)
            }
            var caps: [Int64] = []
            var next: String? = ""
            while let before = next {
                let query = before.isEmpty ? "limit=2" : "limit=2&before=\(before)"
                let page = await stage.call(.get, "/v1/audit?\(query)", as: stage.acme.master).json
                guard case .array(let entries)? = page["entries"] else { break }
                caps += entries.compactMap { $0["detail"]?["inbox_cap"]?.integer }
                next = page["next"]?.text
            }
            #expect(caps == [5, 4, 3, 2, 1])
        }
    }

    @Test(arguments: [
        ("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"), ("before=x", "before"),
    ])
    func `a page of the audit that cannot be is refused`(query: String, field: String) async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(.get, "/v1/audit?\(query)", as: stage.acme.master)
            #expect(answer.status == 400 && answer.json["field"]?.text == field)
        }
    }
}

extension JSON {
    /// The members of `other`, with those of this object in the place of equal names.
    fileprivate func laid(over other: JSON) -> JSON {
        guard case .object(let members) = other else { return other }
        return .object(members.map { JSONMember($0.name, self[$0.name] ?? $0.value) })
    }
}
