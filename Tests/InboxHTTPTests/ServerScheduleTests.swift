import HTTPCore
import InboxModel
import InboxService
import InboxWire
import TestSupport
import Testing

/// Schedules of the server API, until they are due.
@Suite struct ServerScheduleTests {
    private static func push(_ title: String) -> String {
        #"{"audience": {"named_user": "ana"}, "device_types": ["ios"], "message": {"title": "\#(title)", "body": "B"}}"#
    }

    private static func schedule(_ title: String, _ time: String = "2091-05-06T07:08:09") -> String {
        #"{"name": "\#(title)", "schedule": {"scheduled_time": "\#(time)"}, "push": \#(push(title))}"#
    }

    @Test func `a schedule is made, shown, listed, replaced and deleted in the forms that clients read`()
        async throws
    {
        try await ServerStage.open { stage in
            let made = await stage.call(
                .post, "/api/schedules/", as: stage.acme.master, Self.schedule("Friday"))
            #expect(made.status == 201)
            #expect(made.json["ok"] == .bool(true) && made.json["operation_id"]?.text != nil)
            let url = try #require(made.json["schedule_urls"]?.texts.first)
            let id = try #require(made.json["schedule_ids"]?.texts.first)
            #expect(url == "http://127.0.0.1:8080/api/schedules/\(id)")
            #expect(made.response.headers["location"] == url)
            let entry = try #require(made.json["schedules"]?[0])

            let shown = await stage.call(.get, "/api/schedules/\(id)", as: stage.acme.master)
            #expect(shown.status == 200 && shown.json == entry, "the bare object")
            #expect(shown.json["ok"] == nil && shown.json["name"]?.text == "Friday")
            #expect(shown.json["schedule"]?["scheduled_time"]?.text == "2091-05-06T07:08:09")
            let push = try #require(shown.json["push"])
            #expect(push["notification"] == .null && push["audience"]?["named_user"]?.text == "ana")
            #expect(push["device_types"]?.texts == ["ios"] && push["message"]?["title"]?.text == "Friday")

            let list = await stage.call(.get, "/api/schedules", as: stage.acme.master).json
            #expect(
                list["ok"] == .bool(true) && list["count"]?.integer == 1 && list["total_count"]?.integer == 1)
            #expect(list["schedules"] == .array([entry]) && list["next_page"] == nil)

            let other = Self.schedule("Saturday", "2091-05-07T00:00:00")
            let changed = await stage.call(.put, "/api/schedules/\(id)/", as: stage.acme.master, other)
            #expect(changed.status == 200 && changed.json["schedule_ids"]?.texts == [id])
            let after = await stage.call(.get, "/api/schedules/\(id)", as: stage.acme.master).json
            #expect(after["name"]?.text == "Saturday" && after["push_ids"] == entry["push_ids"])
            #expect(after["schedule"]?["scheduled_time"]?.text == "2091-05-07T00:00:00")

            let gone = await stage.call(.delete, "/api/schedules/\(id)", as: stage.acme.master)
            #expect(gone.status == 204 && gone.response.body.isEmpty)
            for (method, body) in [(HTTPCore.Method.get, ""), (.put, other), (.delete, "")] {
                let answer = await stage.call(method, "/api/schedules/\(id)", as: stage.acme.master, body)
                #expect(answer.status == 404, "\(method)")
            }
            #expect(
                await stage.call(.get, "/api/schedules", as: stage.acme.master).json["count"]?.integer == 0)

            let audit = await stage.call(.get, "/v1/audit", as: stage.acme.master).json["entries"]
            let actions = (0..<3).map { audit?[$0]?["action"]?.text }
            #expect(actions == ["schedule.delete", "schedule.change", "schedule.create"])
            #expect((0..<3).allSatisfy { audit?[$0]?["subject"]?.text == id })
            #expect(audit?[2]?["detail"]?["scheduled_time"]?.text == "2091-05-06T07:08:09.000Z")
            #expect(audit?[3] == nil, "what was gone was not deleted again")
        }
    }

    @Test func `another tenant's schedule is as unknown as one that never was`() async throws {
        try await ServerStage.open { stage in
            let made = await stage.call(.post, "/api/schedules", as: stage.globex.master, Self.schedule("X"))
            let id = try #require(made.json["schedule_ids"]?.texts.first)
            for id in [id, "0f6f5a3e-6d0a-4c53-9a5e-3f1f4f0c2b7d", "nonsense"] {
                for path in ["/api/schedules/\(id)", "/v1/schedules/\(id)"] {
                    for method in [HTTPCore.Method.get, .delete] {
                        let answer = await stage.call(method, path, as: stage.acme.master)
                        #expect(answer.status == 404, "\(method) \(path)")
                    }
                }
                let put = await stage.call(
                    .put, "/api/schedules/\(id)", as: stage.acme.master, Self.schedule("Y"))
                #expect(put.status == 404, "it never creates")
            }
            #expect(
                await stage.call(.get, "/api/schedules", as: stage.acme.master).json["total_count"]?.integer
                    == 0)
            #expect(await stage.call(.get, "/api/schedules/\(id)", as: stage.globex.master).status == 200)
        }
    }

    @Test func `an array is kept whole or not at all, and listed page by page, each once`() async throws {
        try await ServerStage.open { stage in
            let good = (1...5).map { Self.schedule("S\($0)") }
            let bad = good + [Self.schedule("S6", "1999-01-01T00:00:00")]
            let refused = await stage.call(
                .post, "/api/schedules", as: stage.acme.master, "[\(bad.joined(separator: ","))]")
            #expect(refused.status == 400 && refused.path == "[5].schedule.scheduled_time")
            let made = await stage.call(
                .post, "/api/schedules", as: stage.acme.master, "[\(good.joined(separator: ","))]")
            #expect(made.status == 201 && made.json["schedule_urls"]?.texts.count == 5)

            var names: [String] = []
            var next: String? = "http://127.0.0.1:8080/api/schedules?limit=2"
            var pages = 0
            while let url = next {
                let page = await stage.call(
                    .get, String(url.dropFirst("http://127.0.0.1:8080".count)), as: stage.acme.master
                ).json
                guard case .array(let schedules)? = page["schedules"] else { break }
                #expect(page["count"]?.integer == Int64(schedules.count) && page["total_count"]?.integer == 5)
                if pages == 0 {
                    // What is gone meanwhile takes no place with it.
                    let last = try #require(schedules.last?["url"]?.text?.split(separator: "/").last)
                    let gone = await stage.call(.delete, "/api/schedules/\(last)", as: stage.acme.master)
                    #expect(gone.status == 204)
                    try await stage.call(.post, "/api/schedules", as: stage.acme.master, Self.schedule("new"))
                        .mustBe(201)
                }
                names += schedules.compactMap { $0["name"]?.text }
                next = page["next_page"]?.text
                pages += 1
            }
            #expect(names.sorted() == ["S1", "S2", "S3", "S4", "S5"] && pages == 3)
        }
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "limit=x", "start=x", "start=0f6f5a3e-6d0a-4c53-9a5e-3f1f4f0c2b7d",
    ])
    func `a page that cannot be is refused`(query: String) async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(.get, "/api/schedules?\(query)", as: stage.acme.master)
            #expect(answer.status == 400 && answer.path == String(query.prefix { $0 != "=" }))
        }
    }

    @Test func `a page of large schedules ends early`() async throws {
        try await ServerStage.open { stage in
            let title = String(repeating: "x", count: 400_000)
            let push =
                #"{"audience": "all", "device_types": "all", "message": {"title": "T", "body": "\#(title)"}}"#
            let large = #"{"schedule": {"scheduled_time": "2091-05-06T07:08:09"}, "push": \#(push)}"#
            for _ in 1...10 {
                try await stage.call(.post, "/api/schedules", as: stage.acme.master, large).mustBe(201)
            }
            let first = await stage.call(.get, "/api/schedules", as: stage.acme.master).json
            let count = try #require(first["count"]?.integer)
            #expect((1...9).contains(count))
            let next = try #require(first["next_page"]?.text?.split(separator: "?").last)
            let second = await stage.call(.get, "/api/schedules?\(next)", as: stage.acme.master).json
            #expect(second["count"]?.integer == 10 - count && second["next_page"] == nil)
        }
    }

    @Test func `an app keeps as many schedules as the limit says`() async throws {
        var limits = Limits()
        limits.schedulesPerApp = 3
        try await ServerStage.open(limits: limits) { stage in
            let two = "[\(Self.schedule("1")),\(Self.schedule("2"))]"
            try await stage.call(.post, "/api/schedules", as: stage.acme.master, two).mustBe(201)
            let refused = await stage.call(.post, "/api/schedules", as: stage.acme.master, two)
            #expect(refused.status == 400)
            #expect(refused.text.contains("(limit schedules_per_app is 3)"))
            try await stage.call(.post, "/api/schedules", as: stage.acme.master, Self.schedule("3")).mustBe(
                201)
            let v1 = await stage.call(
                .post, "/v1/schedules", as: stage.acme.master, MartletScheduleTests.inAnHour)
            #expect(v1.status == 400 && v1.json["limit"]?["name"]?.text == "schedules_per_app")
            try await stage.call(.post, "/api/schedules", as: stage.globex.master, two).mustBe(201)
        }
    }

    @Test func `under a key a schedule is made once, and another body is refused`() async throws {
        try await ServerStage.open { stage in
            for (path, body, other) in [
                ("/api/schedules", Self.schedule("1"), Self.schedule("2")),
                ("/v1/schedules", MartletScheduleTests.inAnHour, MartletScheduleTests.inTwoHours),
            ] {
                let headers: Headers = [
                    "Accept": "application/vnd.urbanairship+json; version=3", "Idempotency-Key": "k \(path)",
                ]
                let answers = await (0..<3).asyncMap { _ in
                    await stage.call(.post, path, as: stage.acme.master, body, headers: headers)
                }
                #expect(Set(answers.map(\.status)) == [201] && Set(answers.map(\.text)).count == 1)
                let conflict = await stage.call(.post, path, as: stage.acme.master, other, headers: headers)
                #expect(conflict.status == 409)
            }
            let list = await stage.call(.get, "/api/schedules", as: stage.acme.master).json
            #expect(list["total_count"]?.integer == 2)
        }
    }

    @Test func `whatever call of the store fails, nothing is kept that was not answered`() async throws {
        let faults = FaultPlan()
        try await ServerStage.open(faults: faults) { stage in
            var number = 1
            while true {
                faults.fail(call: number, with: .unavailable("on purpose"))
                let answer = await stage.call(
                    .post, "/api/schedules", as: stage.acme.master, Self.schedule("1"))
                guard faults.hasFailed else {
                    #expect(answer.status == 201)
                    break
                }
                #expect(answer.status == 503)
                number += 1
            }
            #expect(number == 3, "the app, and the schedule")
            faults.fail(call: .max, with: .unavailable("never"))
            let list = await stage.call(.get, "/api/schedules", as: stage.acme.master).json
            #expect(list["total_count"]?.integer == 1)
        }
    }
}

extension Answer {
    /// Fails the test at another status.
    func mustBe(_ status: Int) throws { try #require(self.status == status, "\(text)") }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ body: (Element) async -> Result) async -> [Result] {
        var results: [Result] = []
        for element in self { results.append(await body(element)) }
        return results
    }
}
