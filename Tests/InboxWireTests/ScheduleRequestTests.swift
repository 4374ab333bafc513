import InboxModel
import InboxWire
import Platform
import Testing

struct ScheduleRequestTests {
    private static let now = Instant(seconds: 1_900_000_000)  // 2030-03-17T17:46:40Z
    private static let push =
        #"{"audience": "all", "device_types": "all", "message": {"title": "T", "body": "B"}}"#

    private func parse(_ text: String, _ limits: Limits = Limits()) throws(InboxError) -> [ScheduleRequest] {
        try ScheduleRequest.parse(Array(text.utf8), limits: limits, now: Self.now)
    }

    private func refusal(_ text: String, _ limits: Limits = Limits()) -> (field: String, reason: String)? {
        let error = #expect(throws: InboxError.self) { try parse(text, limits) }
        guard case .invalid(let field, let reason, _)? = error else { return nil }
        return (field, reason)
    }

    @Test(arguments: [
        ("2030-03-17T17:46:41", 1), ("2030-03-17T17:46:41Z", 1), ("2030-03-17 17:46:41", 1),
        ("2030-03-18T17:46:40.5Z", 86_400),
    ])
    func `a schedule has a time in UTC, as published clients write it`(time: String, seconds: Int64) throws {
        let text = #"{"name": "N", "schedule": {"scheduled_time": "\#(time)"}, "push": \#(Self.push)}"#
        let schedule = try #require(try parse(text).first)
        #expect(schedule.due.seconds == Self.now.seconds + seconds)
        #expect(schedule.name == "N" && !schedule.isArray && schedule.pushes.count == 1)
        #expect(schedule.pushes[0].draft?.title == "T")
        #expect(schedule.json.hasPrefix(#"{"audience":"all""#))
    }

    @Test(
        arguments: [
            (#"{"scheduled_time": "2030-03-17T17:46:40"}"#, "schedule.scheduled_time", "lies in the past"),
            (#"{"scheduled_time": "2030-03-17T17:46:39"}"#, "schedule.scheduled_time", "lies in the past"),
            (
                #"{"scheduled_time": "tomorrow"}"#, "schedule.scheduled_time",
                "must be a time in UTC such as 2031-05-06T07:08:09"
            ),
            (
                #"{"scheduled_time": "2031-05-06T07:08:09+02:00"}"#, "schedule.scheduled_time",
                "must be a time in UTC such as 2031-05-06T07:08:09"
            ),
            (#"{"scheduled_time": 7}"#, "schedule.scheduled_time", "must be a string, but is a number"),
            ("{}", "schedule.scheduled_time", "'scheduled_time' must be set"),
            ("null", "schedule", "must be an object, but is null"),
            (
                #"{"local_scheduled_time": "2031-05-06T07:08:09"}"#, "schedule.local_scheduled_time",
                "'local_scheduled_time' is not supported yet: give a 'scheduled_time' in UTC alone"
            ),
            (
                #"{"best_time": {"send_date": "2031-05-06"}}"#, "schedule.best_time",
                "'best_time' is not supported yet: give a 'scheduled_time' in UTC alone"
            ),
            (
                #"{"scheduled_time": "2031-05-06T07:08:09", "recurring": {}}"#, "schedule.recurring",
                "'recurring' is not supported yet: give a 'scheduled_time' in UTC alone"
            ),
            (
                #"{"scheduled_time": "2031-05-06T07:08:09", "zone": "x"}"#, "schedule.zone",
                "'zone' is unknown here"
            ),
        ])
    func `another time is refused with its place, never done otherwise`(
        schedule: String, field: String, reason: String
    ) {
        let refusal = refusal(#"{"schedule": \#(schedule), "push": \#(Self.push)}"#)
        #expect(refusal?.field == field)
        #expect(refusal?.reason == reason)
    }

    @Test(arguments: [
        (#""2031-05-06T07:08:09""#, false), (#""2031-05-06T07:08:10""#, true), ("1", true), ("0", true),
    ])
    func `a message must not end before it is sent`(expiry: String, isGood: Bool) {
        let message = #"{"title": "T", "body": "B", "expiry": \#(expiry)}"#
        let text = #"""
            {"schedule": {"scheduled_time": "2031-05-06T07:08:09"},
             "push": [\#(Self.push), {"audience": "all", "device_types": "all", "message": \#(message)}]}
            """#
        guard !isGood else {
            #expect(throws: Never.self) { try parse(text) }
            return
        }
        let refusal = refusal(text)
        #expect(refusal?.field == "push[1].message.expiry")
        #expect(refusal?.reason == "must lie behind the scheduled time")
    }

    @Test func `what is pushed is checked as a push is`() {
        let time = #""schedule": {"scheduled_time": "2031-05-06T07:08:09"}"#
        #expect(refusal(#"{\#(time)}"#)?.field == "push")
        #expect(refusal(#"{\#(time), "push": {"audience": "all", "device_types": "all"}}"#)?.field == "push")
        let bad =
            #"{"audience": {"planet": "mars"}, "device_types": "all", "message": {"title": "T", "body": "B"}}"#
        #expect(refusal(#"{\#(time), "push": \#(bad)}"#)?.field == "push.audience.planet")
        #expect(refusal(#"[{\#(time), "push": []}]"#)?.field == "[0].push")
        #expect(
            refusal(#"[{\#(time), "push": \#(Self.push)}, {\#(time), "push": [\#(bad)]}]"#)?.field
                == "[1].push[0].audience.planet")
    }

    @Test func `an array has 1 to as many schedules as the limit says`() throws {
        var limits = Limits()
        limits.schedulesPerRequest = 2
        let one = #"{"schedule": {"scheduled_time": "2031-05-06T07:08:09"}, "push": \#(Self.push)}"#
        #expect(try parse("[\(one), \(one)]", limits).count == 2)
        #expect(refusal("[]")?.reason == "an array of schedules must not be empty")
        #expect(refusal("[\(one), \(one), \(one)]", limits)?.reason == "has more than 2 schedules")
    }

    @Test(arguments: [(254, true), (255, true), (256, false)])
    func `a name has at most 255 bytes`(bytes: Int, isGood: Bool) throws {
        let name = String(repeating: "n", count: bytes)
        let text =
            #"{"name": "\#(name)", "schedule": {"scheduled_time": "2031-05-06T07:08:09"}, "push": \#(Self.push)}"#
        if isGood {
            #expect(try parse(text).first?.name == name)
        } else {
            #expect(refusal(text)?.field == "name")
        }
    }

    @Test(arguments: [#""""#, #"" \t""#, "7"])
    func `a name is a text that is not blank`(name: String) {
        let text =
            #"{"name": \#(name), "schedule": {"scheduled_time": "2031-05-06T07:08:09"}, "push": \#(Self.push)}"#
        #expect(refusal(text)?.field == "name")
    }
}

struct MessageScheduleRequestTests {
    private static let now = Instant(seconds: 1_900_000_000)
    private static let message = #""message": {"audience": "all", "message": {"title": "T", "body": "B"}}"#

    private func parse(_ text: String) throws(InboxError) -> MessageScheduleRequest {
        try MessageScheduleRequest(Array(text.utf8), limits: Limits(), now: Self.now)
    }

    @Test(arguments: [
        (#""scheduled_time": "2030-03-17T17:46:50Z""#, 10), (#""scheduled_in": 10"#, 10),
        (#""scheduled_in": 3155760000, "scheduled_time": null"#, 3_155_760_000),
    ])
    func `a schedule has a time, or seconds from now`(time: String, seconds: Int64) throws {
        let schedule = try parse("{\(time), \(Self.message)}")
        #expect(schedule.due == Instant(seconds: Self.now.seconds + seconds))
        #expect(schedule.message.draft.title == "T" && !schedule.isDryRun && schedule.name == nil)
    }

    @Test(
        arguments: [
            (message, "scheduled_time"), (#""scheduled_in": 0, \#(message)"#, "scheduled_in"),
            (#""scheduled_in": 3155760001, \#(message)"#, "scheduled_in"),
            (#""scheduled_in": 1.5, \#(message)"#, "scheduled_in"),
            (#""scheduled_in": 1, "scheduled_time": "2031-05-06T07:08:09Z", \#(message)"#, "scheduled_in"),
            (#""scheduled_time": "2030-03-17T17:46:40Z", \#(message)"#, "scheduled_time"),
            (#""scheduled_in": 1"#, "message"), (#""scheduled_in": 1, "when": 1, \#(message)"#, "when"),
            (
                #""scheduled_in": 1, "message": {"audience": "all", "dry_run": true, "message": {"title": "T", "body": "B"}}"#,
                "message.dry_run"
            ),
            (
                #""scheduled_in": 9, "message": {"audience": "all", "message": {"title": "T", "body": "B", "expiry": "2030-03-17T17:46:49Z"}}"#,
                "message.message.expiry"
            ),
        ])
    func `another one is refused by its field`(members: String, field: String) {
        let error = #expect(throws: InboxError.self) { try parse("{\(members)}") }
        guard case .invalid(let place, _, _)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(place == field)
    }
}
