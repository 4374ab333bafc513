import Crypto
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Postgres
import TestSupport
import Testing

struct EventRouteTests {
    private static let event = #"{"id":"e-1","type":"opened"}"#

    @Test func `events are kept as they were told, once for each id and reader`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let other = try await stage.device(stage.acme)
            let message = "AAAAAAAAAAAAAAAAAAAAAA"
            let full =
                #"{"id":"e-2","type":"custom.tap_1-2","message_id":"\#(message)","at":"2031-05-06T07:08:09.123Z","#
                + #""data":{"button":"ok","näh":"\u00e9\n"}}"#
            for _ in 0..<2 {
                let answer = await stage.tell([EventRouteTests.event, full], as: device)
                #expect(answer.status == 200 && answer.text == #"{"accepted":2}"#)
            }
            #expect(await stage.tell([EventRouteTests.event], as: other).status == 200)
            let kept = try await stage.stored(
                """
                SELECT json_agg(json_build_array(event_id, type, message_id, extract(epoch FROM happened_at) * 1000, data)
                    ORDER BY inbox_id, event_id)::text FROM client_events
                """)
            #expect(
                kept == #"[["e-1", "opened", null, null, {}], "#
                    + #"["e-2", "custom.tap_1-2", "\#(message)", 1935817689123.000000, {"näh": "é\n", "button": "ok"}], "#
                    + #"["e-1", "opened", null, null, {}]]"#)
        }
    }

    @Test func `an event's second telling changes nothing, also within a batch`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let again = #"{"id":"e-1","type":"dismissed"}"#
            let answer = await stage.tell([EventRouteTests.event, again], as: device)
            #expect(answer.text == #"{"accepted":2}"#)
            #expect(try await stage.stored("SELECT string_agg(type, ',') FROM client_events") == "opened")
        }
    }

    @Test func `events wait for an erasure that has begun, so that none outlives it`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let erasure = try await stage.transaction("SELECT FROM inboxes FOR UPDATE")
            #expect(await stage.tell([EventRouteTests.event], as: device).status == 503)
            try await erasure.rollBack()
            #expect(try await stage.stored("SELECT count(*)::text FROM client_events") == "0")
            #expect(await stage.tell([EventRouteTests.event], as: device).status == 200)
        }
    }

    @Test(arguments: [(1, 200), (1000, 200), (1001, 400), (0, 400)])
    func `a batch has 1 to 1000 events`(count: Int, status: Int) async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let events = (0..<count).map { #"{"id":"\#($0)","type":"displayed"}"# }
            let answer = await stage.tell(events, as: device)
            #expect(answer.status == status)
            if count > 1000 { #expect(answer.json["limit"]?["name"]?.text == "events_per_batch") }
            let kept = try await stage.stored("SELECT count(*)::text FROM client_events")
            #expect(kept == (status == 200 ? "\(count)" : "0"))
        }
    }

    @Test(arguments: [
        (#"{"type":"opened"}"#, "events[0].id"), (#"{"id":"","type":"opened"}"#, "events[0].id"),
        (#"{"id":1,"type":"opened"}"#, "events[0].id"), (#"{"id":"\u0000","type":"opened"}"#, "events[0].id"),
        (#"{"id":"a"}"#, "events[0].type"), (#"{"id":"a","type":""}"#, "events[0].type"),
        (#"{"id":"a","type":"Opened"}"#, "events[0].type"), (#"{"id":"a","type":"é"}"#, "events[0].type"),
        (#"{"id":"a","type":"o","message_id":"x"}"#, "events[0].message_id"),
        (#"{"id":"a","type":"o","at":"yesterday"}"#, "events[0].at"),
        (#"{"id":"a","type":"o","at":1}"#, "events[0].at"),
        (#"{"id":"a","type":"o","data":{"k":1}}"#, "events[0].data.k"),
        (#"{"id":"a","type":"o","data":[]}"#, "events[0].data"),
        (#"{"id":"a","type":"o","data":{"\u0000":"v"}}"#, "events[0].data"),
        (#"{"id":"a","type":"o","x":1}"#, "events[0].x"),
        (#""opened""#, "events[0]"),
    ])
    func `an event that is none is refused by its place, and none of its batch is kept`(
        event: String, field: String
    ) async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let answer = await stage.tell([event, EventRouteTests.event], as: device)
            #expect(answer.status == 400 && answer.json["field"]?.text == field)
            #expect(try await stage.stored("SELECT count(*)::text FROM client_events") == "0")
        }
    }

    @Test(arguments: [
        (64, 64, 20, 4076, 200), (65, 64, 20, 4076, 400), (64, 65, 20, 4076, 400), (64, 64, 21, 10, 400),
        (64, 64, 20, 4077, 400),
    ])
    func `an event has its limits`(id: Int, type: Int, keys: Int, bytes: Int, status: Int) async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            // Keys of one byte each, and all but one with an empty value.
            let names = "abcdefghijklmnopqrstuvwxyz".prefix(keys)
            let data = names.enumerated().map { number, name in
                #""\#(name)":"\#(String(repeating: "v", count: number == 0 ? bytes : 0))""#
            }
            let event =
                #"{"id":"\#(String(repeating: "é", count: id))","type":"\#(String(repeating: "t", count: type))","#
                + #""data":{\#(data.joined(separator: ","))}}"#
            #expect(await stage.tell([event], as: device).status == status)
        }
    }

    @Test func `only readers tell events`() async throws {
        try await ServerStage.open { stage in
            for caller in [nil, stage.acme.master, stage.acme.device] {
                let answer = await stage.call(
                    .post, "/v1/events", as: caller, #"{"events":[\#(EventRouteTests.event)]}"#)
                #expect(answer.status == 401)
            }
        }
    }
}

extension ServerStage {
    fileprivate func tell(_ events: [String], as device: TestDevice) async -> Answer {
        await call(
            .post, "/v1/events", as: "Basic " + Base64.encode(Array("\(device.user.text):x".utf8)),
            #"{"events":[\#(events.joined(separator: ","))]}"#)
    }
}
