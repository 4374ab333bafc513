import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Platform
import TestSupport
import Testing

/// What is scheduled is sent once, when it is due.
@Suite struct ScheduleRunnerTests {
    @Test func `a schedule is sent at its second, not before, and is then gone`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.freeze(at: "2031-05-06 07:00:00")
            let id = try await stage.schedule(for: phone.selector)
            let shown = await stage.asBackend(.get, "/api/schedules/\(id)")
            try await stage.freeze(at: "2031-05-06 07:08:07.5")
            try await stage.withSchedules { runner in
                #expect(try await runner.step() == .upTo(.seconds(1)))
                try await stage.freeze(at: "2031-05-06 07:08:08.7")
                #expect(try await runner.step() == .upTo(.milliseconds(300)))
                #expect(try await phone.list().ids == [])
                try await stage.freeze(at: "2031-05-06 07:08:09")
                try await runner.settle()
            }
            let list = try await phone.list()
            let message = try #require(list.ids.first.flatMap { MessageID(wire: $0) })
            #expect(list.ids.count == 1 && list.messages[0]["message_sent"]?.asText == "2031-05-06 07:08:09")
            guard case .array(let pushes)? = try shown.json["push_ids"] else { return }
            #expect(pushes.map(\.asText) == [message.pushID], "the id that was answered")
            for method in [HTTPCore.Method.get, .delete] {
                #expect(await stage.asBackend(method, "/api/schedules/\(id)").status == 404)
            }
        }
    }

    @Test func `two instances that find the same schedules due send each once`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.freeze(at: "2031-05-06 07:00:00")
            for number in 1...40 {
                let audience = number % 4 == 0 ? #""all""# : phone.selector
                try await stage.schedule(for: audience, title: "\(number)")
            }
            try await stage.freeze(at: "2031-05-06 07:08:10")
            async let one = stage.fire()
            async let other = stage.fire()
            _ = try await (one, other)
            // Some whose turn met another's are left.
            while try await stage.rows("schedules") > 0 { try await stage.fire() }
            #expect(try await phone.list().ids.count == 40)
            #expect(try await stage.rows(of: "messages", "app_log") == [40, 10])
        }
    }

    @Test func `a thousand schedules of one second are sent, each once`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.freeze(at: "2031-05-06 07:00:00")
            try await stage.script("UPDATE apps SET inbox_cap = 2000")
            let push =
                #"{"audience":\#(phone.selector),"device_types":"all","message":{"title":"T","body":"B"}}"#
            let one = #"{"schedule":{"scheduled_time":"2031-05-06T07:08:09"},"push":\#(push)}"#
            let all = "[\(Array(repeating: one, count: 1000).joined(separator: ","))]"
            #expect(await stage.asBackend(.post, "/api/schedules", all).status == 201)
            try await stage.freeze(at: "2031-05-06 07:08:09")
            try await stage.fire()
            #expect(try await stage.rows(of: "schedules", "messages", "deliveries") == [0, 1000, 1000])
            #expect(try await Set(phone.list().ids).count == 1000)
        }
    }

    @Test func `one that was due while no instance ran is sent late, and lives from then on`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.freeze(at: "2031-05-06 07:00:00")
            try await stage.schedule(for: phone.selector, title: "relative", extra: #","expiry":3600"#)
            try await stage.schedule(
                for: phone.selector, title: "absolute", extra: #","expiry":"2031-05-06T09:00:00""#)
            try await stage.freeze(at: "2031-05-06 10:00:00")
            try await stage.fire()
            let list = try await phone.list()
            #expect(list.messages.map { $0["title"]?.asText } == ["relative"], "the other one is over")
            #expect(list.messages[0]["message_expiry"]?.asText == "2031-05-06 11:00:00")
            #expect(try await stage.rows("messages") == 2, "but it is known")
        }
    }

    @Test func `who gets it is found out when it is sent`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            try await stage.freeze(at: "2031-05-06 07:00:00")
            try await stage.schedule(for: #"{"named_user":"ana"}"#, title: "person")
            try await stage.schedule(for: #"{"tag":"vip"}"#, title: "tag")
            try await stage.schedule(for: #""all""#, title: "everyone")
            try await stage.advance(seconds: 0)  // SDKs prove themselves by the time
            let phone = try await Phone.register(stage)
            #expect(await phone.login("ana").status == 200)
            try await stage.script(
                "INSERT INTO inbox_tags SELECT app_id, 'device', 'vip', inbox_id FROM channels")
            try await stage.freeze(at: "2031-05-06 07:08:09")
            try await stage.fire()
            let titles = try await phone.list().messages.compactMap { $0["title"]?.asText }
            #expect(titles.sorted() == ["everyone", "person", "tag"])
        }
    }

    @Test func `a push without a message is done with, and sends nothing`() async throws {
        try await DeviceStage.open { stage in
            try await stage.freeze(at: "2031-05-06 07:00:00")
            let body = #"""
                {"schedule":{"scheduled_time":"2031-05-06T07:08:09"},
                 "push":{"audience":"all","device_types":"all","notification":{"alert":"x"}}}
                """#
            #expect(await stage.asBackend(.post, "/api/schedules", body).status == 201)
            try await stage.freeze(at: "2031-05-06 07:08:09")
            #expect(try await stage.fire() == [])
            #expect(try await stage.rows(of: "schedules", "messages") == [0, 0])
        }
    }

    @Test func `one that was deleted before is never sent, one that was put off at its new time`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.freeze(at: "2031-05-06 07:00:00")
            let deleted = try await stage.schedule(for: phone.selector)
            let moved = try await stage.schedule(for: phone.selector)
            #expect(await stage.asBackend(.delete, "/api/schedules/\(deleted)").status == 204)
            let body = #"""
                {"schedule":{"scheduled_time":"2031-05-06T08:00:00"},
                 "push":{"audience":\#(phone.selector),"device_types":"all","message":{"title":"New","body":"B"}}}
                """#
            #expect(await stage.asBackend(.put, "/api/schedules/\(moved)", body).status == 200)
            try await stage.freeze(at: "2031-05-06 07:59:59")
            try await stage.fire()
            #expect(try await phone.list().ids == [])
            try await stage.freeze(at: "2031-05-06 08:00:00")
            try await stage.fire()
            #expect(try await phone.list().messages.map { $0["title"]?.asText } == ["New"])
        }
    }

    @Test func `of a deletion and the sending exactly one wins, and the caller is told which`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            var sent = 0
            for _ in 0..<30 {
                try await stage.freeze(at: "2031-05-06 07:00:00")
                let id = try await stage.schedule(for: phone.selector)
                try await stage.freeze(at: "2031-05-06 07:08:09")
                try await stage.withSchedules { runner in
                    async let firing: Void = runner.settle()
                    let deletion = await stage.asBackend(.delete, "/api/schedules/\(id)")
                    try await firing
                    try await runner.settle()
                    #expect([204, 404].contains(deletion.status))
                    sent += deletion.status == 404 ? 1 : 0
                }
                #expect(try await stage.rows(of: "deliveries", "schedules") == [Int64(sent), 0])
            }
        }
    }

    @Test func `of a change and the sending exactly one wins, and the caller is told which`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            var titles: [String] = []
            for _ in 0..<20 {
                try await stage.freeze(at: "2031-05-06 07:00:00")
                let id = try await stage.schedule(for: phone.selector, title: "old")
                let body = #"""
                    {"schedule":{"scheduled_time":"2031-05-06T08:00:00"},
                     "push":{"audience":\#(phone.selector),"device_types":"all","message":{"title":"new","body":"B"}}}
                    """#
                try await stage.freeze(at: "2031-05-06 07:08:09")
                try await stage.withSchedules { runner in
                    async let firing: Void = runner.settle()
                    let change = await stage.asBackend(.put, "/api/schedules/\(id)", body)
                    try await firing
                    try await stage.freeze(at: "2031-05-06 08:00:00")
                    try await runner.settle()
                    #expect([200, 404].contains(change.status))
                    titles.append(change.status == 200 ? "new" : "old")
                }
                let listed = try await phone.list().messages.compactMap { $0["title"]?.asText }
                #expect(listed.sorted() == titles.sorted())
            }
        }
    }

    @Test(arguments: [StoreFault.unavailable("on purpose"), .outcomeUnknown, .broken("on purpose")])
    func `whatever call fails, what is due is sent once when it works again`(fault: StoreFault) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for number in 1...3 {
                try await stage.freeze(at: "2031-05-06 07:00:00")
                for _ in 0..<3 { try await stage.schedule(for: phone.selector) }
                try await stage.freeze(at: "2031-05-06 07:08:09")
                let faults = FaultPlan()
                faults.fail(call: number, with: fault)
                try await stage.withSchedules(faults) { runner in
                    do {
                        try await runner.settle()
                        #expect(faults.log.count == 1)
                    } catch is StoreFault {
                        #expect(number == 1, "what fails for one schedule is not thrown")
                    }
                }
                try await stage.fire()
                #expect(try await stage.rows(of: "deliveries", "schedules") == [Int64(3 * number), 0])
            }
        }
    }

    @Test func `a commit that was not heard of is not done again`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let faults = FaultPlan()
            try await Proxy.open(to: stage.url) { proxy in
                try await stage.withSchedules(faults, sendsTo: proxy.connectionString) { runner in
                    for rule in [Proxy.Rule.forward, .cutNextAnswer] {
                        try await stage.freeze(at: "2031-05-06 07:00:00")
                        try await stage.schedule(for: phone.selector)
                        try await stage.freeze(at: "2031-05-06 07:08:09")
                        proxy.set(rule)
                        try await runner.settle()
                    }
                }
            }
            #expect(faults.log.count == 1 && faults.log[0].hasSuffix("outcome of a write unknown"))
            #expect(try await stage.fire() == [])
            #expect(try await stage.rows(of: "deliveries", "schedules") == [2, 0])
        }
    }

    @Test func `a connection that breaks at the commit sends once`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.freeze(at: "2031-05-06 07:00:00")
            for _ in 0..<8 { try await stage.schedule(for: phone.selector) }
            try await stage.freeze(at: "2031-05-06 07:08:09")
            try await stage.script(
                """
                CREATE FUNCTION break_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    PERFORM pg_terminate_backend(pg_backend_pid());
                    RETURN NULL;
                END $$;
                CREATE CONSTRAINT TRIGGER breaks AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION break_once()
                """)
            let faults = FaultPlan()
            try await stage.fire(faults)
            #expect(try await stage.rows("deliveries") == 0)
            #expect(!faults.log.isEmpty)
            try await stage.script("DROP TRIGGER breaks ON messages")
            try await stage.fire()
            #expect(try await stage.rows(of: "deliveries", "schedules", "messages") == [8, 0, 8])
        }
    }

    @Test func `one that this version cannot read is told of and holds up no other`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.freeze(at: "2031-05-06 07:00:00")
            let bad = try await stage.schedule(for: phone.selector)
            try await stage.script("UPDATE schedules SET sends = '[{\"planet\":\"mars\"}]'")
            try await stage.schedule(for: phone.selector)
            try await stage.freeze(at: "2031-05-06 07:08:09")
            let log = try await stage.fire()
            #expect(log.count == 1 && log[0].hasPrefix("schedules: \(bad) is tried again: store broken"))
            #expect(!log[0].contains("mars"))
            #expect(try await phone.list().ids.count == 1)
            #expect(try await stage.rows("schedules") == 1)
        }
    }
}

extension Phone {
    /// The phone as an audience, in JSON.
    var selector: String { #"{"channel":"\#(channel)"}"# }
}
