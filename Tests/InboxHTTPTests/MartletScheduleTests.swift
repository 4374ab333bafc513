import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform
import Testing

/// Schedules of Martlet's own API, until they are due.
@Suite struct MartletScheduleTests {
    static let message = #""message": {"audience": "all", "message": {"title": "Hello", "body": "B"}}"#
    static let inAnHour = #"{"scheduled_in": 3600, \#(message)}"#
    static let inTwoHours = #"{"scheduled_in": 7200, "name": "N", \#(message)}"#

    @Test func `a schedule is made, shown, listed and deleted`() async throws {
        try await ServerStage.open { stage in
            let text = #"{"scheduled_time": "2091-05-06T07:08:09Z", "name": "Friday", \#(Self.message)}"#
            let made = await stage.call(.post, "/v1/schedules", as: stage.acme.master, text)
            #expect(made.status == 201)
            let id = try #require(made.json["schedule_id"]?.text)
            #expect(made.json["scheduled_time"]?.text == "2091-05-06T07:08:09.000Z")
            #expect(made.json["name"]?.text == "Friday")
            #expect(made.json["message"]?["message"]?["title"]?.text == "Hello")
            let message = try #require(made.json["message_ids"]?.texts.first.flatMap { MessageID(wire: $0) })
            #expect(made.json["push_ids"]?.texts == [message.pushID])

            let shown = await stage.call(.get, "/v1/schedules/\(id)", as: stage.acme.master)
            #expect(shown.status == 200 && shown.json == made.json)
            let list = await stage.call(.get, "/v1/schedules", as: stage.acme.master).json
            #expect(list["schedules"] == .array([made.json]) && list["next"] == .null)

            let vendor = await stage.call(.get, "/api/schedules/\(id)", as: stage.acme.master).json
            #expect(
                vendor["push"]?["device_types"]?.text == "all" && vendor["push"]?["notification"] == .null)

            let gone = await stage.call(.delete, "/v1/schedules/\(id)", as: stage.acme.master)
            #expect(gone.status == 204)
            let again = await stage.call(.delete, "/v1/schedules/\(id)", as: stage.acme.master)
            #expect(again.status == 404 && again.json["detail"]?.text == "schedule not found")
        }
    }

    @Test func `seconds from now count by the database's clock`() async throws {
        try await ServerStage.open { stage in
            let made = await stage.call(.post, "/v1/schedules", as: stage.acme.master, Self.inAnHour).json
            let due = try #require(made["scheduled_time"]?.text.flatMap { CalendarTime(text: $0) }).instant
            let created = try #require(made["created"]?.text.flatMap { CalendarTime(text: $0) }).instant
            #expect(due.milliseconds == created.milliseconds + 3_600_000)
            #expect(made["name"] == .null)
        }
    }

    @Test func `a dry run tells whom it would reach now and keeps nothing`() async throws {
        try await ServerStage.open { stage in
            _ = try await stage.device(stage.acme)
            let text = #"{"scheduled_in": 60, "dry_run": true, \#(Self.message)}"#
            let answer = await stage.call(.post, "/v1/schedules", as: stage.acme.master, text)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"dry_run":true,"recipients":1,"unknown":[]}"#)
            let list = await stage.call(.get, "/v1/schedules", as: stage.acme.master).json
            #expect(list["schedules"] == .array([]))
        }
    }

    @Test func `what the server API was asked to push in an array is shown as one`() async throws {
        try await ServerStage.open { stage in
            let push = #"{"audience": "all", "device_types": "all", "notification": {"alert": "x"}}"#
            let text =
                #"{"schedule": {"scheduled_time": "2091-05-06T07:08:09"}, "push": [\#(push), \#(push)]}"#
            let made = await stage.call(.post, "/api/schedules", as: stage.acme.master, text)
            #expect(made.status == 201 && made.json["warnings"]?.texts.count == 2)
            let list = await stage.call(.get, "/v1/schedules?limit=1", as: stage.acme.master).json
            guard case .array(let pushes)? = list["schedules"]?[0]?["message"] else {
                Issue.record("no array: \(list)")
                return
            }
            #expect(pushes.count == 2 && list["schedules"]?[0]?["push_ids"]?.texts.count == 2)
        }
    }
}
