import HTTPCore
import InboxModel
import InboxWire
import Testing

struct MartletMessageTests {
    private static let message =
        #""message": {"title": "Hello", "body": "<p>Hi</p>", "extra": {"k": 1}, "expiry": 60}"#

    @Test func `a message is sent, shown with its counts, and taken back`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let text =
                #"{"audience": {"channel": "\#(device.channel.text)"}, \#(MartletMessageTests.message)}"#
            let sent = await stage.call(.post, "/v1/messages", as: stage.acme.master, text)
            #expect(sent.status == 202)
            #expect(sent.response.headers["content-type"] == "application/json")
            let id = try #require(sent.json["message_id"]?.text)
            #expect(try await stage.deliveries(device).map(\.text) == [id])
            #expect(sent.json["recipients"]?.integer == 1)
            #expect(sent.json["unknown"]?.texts == [])
            #expect(sent.json["state"]?.text == "sent")
            #expect(sent.json["expiry_clamped"] == .bool(false))

            let shown = await stage.call(.get, "/v1/messages/\(id)/", as: stage.acme.master).json
            #expect(shown["title"]?.text == "Hello" && shown["extra"]?["k"]?.text == "1")
            #expect(shown["body_bytes"]?.integer == 9 && shown["content_type"]?.text == "text/html")
            #expect(shown["recipients"]?.integer == 1 && shown["read"]?.integer == 0)
            #expect(shown["deleted"]?.integer == 0 && shown["broadcast"] == .bool(false))
            #expect(shown["device_types"]?.texts == ["all"] && shown["state"]?.text == "sent")
            #expect(shown["recalled"] == .null && shown["icon"] == .null)

            let gone = await stage.call(.delete, "/v1/messages/\(id)", as: stage.acme.master)
            #expect(gone.status == 204 && gone.response.body.isEmpty)
            #expect(try await stage.deliveries(device).isEmpty)
            let after = await stage.call(.get, "/v1/messages/\(id)", as: stage.acme.master).json
            #expect(after["state"]?.text == "recalled")
            #expect(after["recalled"]?.text.flatMap(CalendarTime.init(text:)) != nil)
            let again = await stage.call(.delete, "/v1/messages/\(id)", as: stage.acme.master)
            #expect(again.status == 404)
            #expect(again.json["code"]?.text == "not_found")
            #expect(again.json["detail"]?.text == "the message was recalled already")
            let vendor = await stage.call(.delete, "/api/user/messages/\(id)", as: stage.acme.master)
            #expect(vendor.status == 404)
            #expect(vendor.json["details"]?["error"]?.text == "the message was recalled already")
        }
    }

    @Test func `a dry run tells whom it would reach and sends nothing`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            let audience = #"{"or": [{"channel": "\#(device.channel.text)"}, {"named_user": "nobody"}]}"#
            let text = #"{"audience": \#(audience), "dry_run": true, \#(MartletMessageTests.message)}"#
            let answer = await stage.call(.post, "/v1/messages", as: stage.acme.master, text)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"dry_run":true,"recipients":1,"unknown":["named_user:nobody"]}"#)
            #expect(try await stage.deliveries(device).isEmpty)
        }
    }

    @Test func `a refusal is a problem document with the field and the limit`() async throws {
        try await ServerStage.open { stage in
            let title = String(repeating: "x", count: 1025)
            let text = #"{"audience": "all", "message": {"title": "\#(title)", "body": "B"}}"#
            let answer = await stage.call(.post, "/v1/messages", as: stage.acme.master, text)
            #expect(answer.status == 400)
            #expect(answer.response.headers["content-type"] == "application/problem+json")
            let problem = answer.json
            #expect(problem["code"]?.text == "invalid" && problem["status"]?.integer == 400)
            #expect(problem["field"]?.text == "message.title")
            #expect(
                problem["limit"]?["name"]?.text == "title_bytes"
                    && problem["limit"]?["value"]?.integer == 1024)
        }
    }

    @Test func `messages are listed newest first, page by page, each once`() async throws {
        try await ServerStage.open { stage in
            var sent: [String] = []
            for _ in 0..<5 {
                let text = #"{"audience": "all", \#(MartletMessageTests.message)}"#
                let answer = await stage.call(.post, "/v1/messages", as: stage.acme.master, text)
                sent.append(try #require(answer.json["message_id"]?.text))
            }
            var listed: [String] = []
            var next: String? = ""
            while let before = next {
                let query = before.isEmpty ? "limit=2" : "limit=2&before=\(before)"
                let page = await stage.call(.get, "/v1/messages?\(query)", as: stage.acme.master).json
                guard case .array(let messages)? = page["messages"] else { break }
                listed += messages.compactMap { $0["message_id"]?.text }
                next = page["next"]?.text
            }
            #expect(listed.count == 5)
            #expect(Set(listed) == Set(sent))
            let whole = await stage.call(.get, "/v1/messages", as: stage.acme.master).json
            guard case .array(let messages)? = whole["messages"] else { return }
            #expect(messages.compactMap { $0["message_id"]?.text } == listed)
            #expect(whole["next"] == .null)
            let foreign = await stage.call(.get, "/v1/messages", as: stage.globex.master).json
            #expect(foreign["messages"] == .array([]))
        }
    }

    @Test func `a page that cannot be is refused`() async throws {
        let cases = [
            ("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"), ("before=x", "before"),
            ("before=", "before"), ("before=AAAAAAAAAAAAAAAAAAAAAA", "before"),
            ("before=1764532800000-AAAA", "before"),
        ]
        try await ServerStage.open { stage in
            for (query, field) in cases {
                let answer = await stage.call(.get, "/v1/messages?\(query)", as: stage.acme.master)
                #expect(answer.status == 400)
                #expect(answer.json["field"]?.text == field)
            }
        }
    }

    @Test func `another tenant's message is as unknown as one that never was`() async throws {
        try await ServerStage.open { stage in
            let text = #"{"audience": "all", \#(MartletMessageTests.message)}"#
            let sent = await stage.call(.post, "/v1/messages", as: stage.globex.master, text)
            let id = try #require(sent.json["message_id"]?.text)
            for id in [id, "AAAAAAAAAAAAAAAAAAAAAA", "nonsense"] {
                for method in [HTTPCore.Method.get, .delete] {
                    let answer = await stage.call(method, "/v1/messages/\(id)", as: stage.acme.master)
                    #expect(answer.status == 404)
                    #expect(answer.json["detail"]?.text == "message not found")
                }
            }
            #expect(await stage.call(.get, "/v1/messages/\(id)", as: stage.globex.master).status == 200)
        }
    }
}
