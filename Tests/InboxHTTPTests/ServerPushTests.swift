import HTTPCore
import InboxModel
import InboxWire
import Platform
import Testing

struct ServerPushTests {
    @Test func `a push to a person is in the person's list when it is answered`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let other = try await stage.device(stage.acme)
            let login = await stage.call(
                .post, "/api/named_users/associate", as: stage.acme.master,
                #"{"channel_id": "\#(device.channel.text)", "device_type": "ios", "named_user_id": "ana"}"#)
            #expect(login.status == 200)
            let answer = await stage.call(
                .post, "/api/push/", as: stage.acme.master, push(#"{"named_user": "ana"}"#))
            #expect(answer.status == 202)
            #expect(answer.response.headers["content-type"] == "application/vnd.urbanairship+json; version=3")
            let body = answer.json
            let id = try #require(body["message_ids"]?[0]?.text)
            #expect(try await stage.deliveries(device).map(\.text) == [id])
            #expect(try await stage.deliveries(other).isEmpty)
            #expect(body["ok"] == .bool(true))
            #expect(body["operation_id"]?.text?.count == 36)
            #expect(body["push_ids"]?.texts == [try #require(MessageID(wire: id)).pushID])
            #expect(body["content_urls"] == .array([]) && body["localized_ids"] == .array([]))
            #expect(body["recipients"]?.integer == 1 && body["state"]?.text == "sent", "of the whole request")
            let sent = body["pushes"]?[0]
            #expect(sent?["recipients"]?.integer == 1)
            #expect(sent?["unknown"]?.texts == [])
            #expect(sent?["state"]?.text == "sent")
            #expect(sent?["expiry_clamped"] == .bool(false), "no end was asked for")
        }
    }

    @Test func `who is unknown is named, and nobody gets the message`() async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(
                .post, "/api/push", as: stage.acme.master, push(#"{"named_user": ["nobody", "nobody"]}"#))
            #expect(answer.status == 202)
            #expect(answer.json["pushes"]?[0]?["recipients"]?.integer == 0)
            #expect(answer.json["pushes"]?[0]?["unknown"]?.texts == ["named_user:nobody"])
        }
    }

    @Test func `an array is sent in order, or not at all`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let good = push(#"{"channel": "\#(device.channel.text)"}"#)
            let bad = push(#"{"channel": "nonsense"}"#)
            let refused = await stage.call(
                .post, "/api/push", as: stage.acme.master, "[\(good), \(bad), \(good)]")
            #expect(refused.status == 400)
            #expect(refused.path == "[1].audience.channel")
            #expect(try await stage.deliveries(device).isEmpty)
            let notification = #"{"audience": "all", "device_types": "all", "notification": {"alert": "x"}}"#
            let sent = await stage.call(
                .post, "/api/push", as: stage.acme.master, "[\(good), \(notification), \(good)]"
            ).json
            #expect(sent["push_ids"]?.texts.count == 3)
            #expect(sent["message_ids"]?.texts.count == 2)
            #expect(sent["pushes"]?[1]?["message_id"] == nil)
            #expect(
                sent["pushes"]?[1]?["warnings"]?.texts == [
                    "the push has no message: nothing is kept in any inbox"
                ])
            #expect(
                Set(try await stage.deliveries(device).map(\.text)) == Set(sent["message_ids"]?.texts ?? []))
        }
    }

    @Test func `validating applies the same rules and sends nothing`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let audience = #"{"channel": "\#(device.channel.text)"}"#
            let answer = await stage.call(.post, "/api/push/validate/", as: stage.acme.master, push(audience))
            #expect(answer.status == 200 && answer.text == #"{"ok":true}"#)
            #expect(try await stage.deliveries(device).isEmpty)
            let refused = await stage.call(
                .post, "/api/push/validate", as: stage.acme.master, push(#"{"x": 1}"#))
            #expect(refused.status == 400)
            #expect(refused.path == "audience.x")
        }
    }

    @Test func `a body over its limit is 413 with the limit's name`() async throws {
        var limits = Limits()
        limits.messageBodyBytes = 10
        try await ServerStage.open(limits: limits) { stage in
            let text =
                #"{"audience": "all", "device_types": "all", "message": {"title": "T", "body": "12345678901"}}"#
            let answer = await stage.call(.post, "/api/push", as: stage.acme.master, text)
            #expect(answer.status == 413)
            #expect(answer.json["error_code"]?.integer == 41300)
            #expect(answer.json["details"]?["error"]?.text?.contains("message_body_bytes is 10") == true)
            #expect(answer.path == "message.body")
        }
    }

    @Test func `an expiry is kept, and a longer one than the limit is clamped and told`() async throws {
        try await ServerStage.open { stage in
            func sent(_ expiry: String) async throws -> JSON {
                let text =
                    #"{"audience": "all", "device_types": "all", "message": {"title": "T", "body": "B", "expiry": \#(expiry)}}"#
                let answer = await stage.call(.post, "/api/push", as: stage.acme.master, text)
                return try #require(answer.json["pushes"]?[0])
            }
            let short = try await sent("60")
            #expect(short["expiry_clamped"] == .bool(false))
            let start = try #require(short["sent"]?.text.flatMap(CalendarTime.init(text:))).instant
            let end = try #require(short["expires"]?.text.flatMap(CalendarTime.init(text:))).instant
            #expect(end.seconds - start.seconds >= 60 && end.seconds - start.seconds <= 61)
            #expect(try await sent("0")["expiry_clamped"] == .bool(true), "never")
            #expect(try await sent("99999999999")["expiry_clamped"] == .bool(true))
            #expect(try await sent(#""2999-01-01 00:00:00""#)["expiry_clamped"] == .bool(true))
        }
    }

    @Test func `a message is taken back once, by either spelling of its id`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let text = push(#"{"channel": "\#(device.channel.text)"}"#)
            let sent = await stage.call(.post, "/api/push", as: stage.acme.master, "[\(text), \(text)]")
                .json
            let first = try #require(sent["message_ids"]?[0]?.text)
            let second = try #require(sent["push_ids"]?[1]?.text)
            for id in [first, second] {
                let foreign = await stage.call(.delete, "/api/user/messages/\(id)", as: stage.globex.master)
                #expect(foreign.status == 404)
                let answer = await stage.call(.delete, "/api/user/messages/\(id)", as: stage.acme.master)
                #expect(answer.status == 202 && answer.text == #"{"ok":true}"#)
                let again = await stage.call(.delete, "/api/user/messages/\(id)/", as: stage.acme.master)
                #expect(again.status == 404)
                #expect(again.json["error_code"]?.integer == 40401)
            }
            #expect(try await stage.deliveries(device).isEmpty)
            for id in ["nonsense", "AAAAAAAAAAAAAAAAAAAAAA"] {
                #expect(
                    await stage.call(.delete, "/api/user/messages/\(id)", as: stage.acme.master).status == 404
                )
            }
        }
    }

    @Test func `another tenant's channel is unknown`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.globex)
            let text = push(#"{"channel": "\#(device.channel.text)"}"#)
            let sent = await stage.call(.post, "/api/push", as: stage.acme.master, text).json["pushes"]?[
                0]
            #expect(sent?["recipients"]?.integer == 0)
            #expect(sent?["unknown"]?.texts == ["channel:\(device.channel.text)"])
            #expect(try await stage.deliveries(device).isEmpty)
        }
    }
}

/// A push with a short message to an audience.
func push(_ audience: String) -> String {
    #"{"audience": \#(audience), "device_types": "all", "message": {"title": "Hello", "body": "<p>Hi</p>"}}"#
}
