import Foundation
import InboxModel
import InboxWire
import Platform
import Testing

struct PushRequestTests {
    @Test func `a push is read whole`() throws {
        let push = try push(
            #"""
            {"audience": {"named_user": "u7"}, "device_types": ["ios"], "campaigns": {"categories": ["x"]},
             "message": {"title": "Parcel arrived", "body": "<p>Locker 12 é</p>", "content_type": "text/plain",
                         "content_encoding": "utf-8", "extra": {"order": "7731"}, "expiry": "2031-05-06T07:08:09",
                         "icons": {"list_icon": "https://cdn.example.test/p.png"}, "options": {}, "new": 1}}
            """#)
        #expect(push.audience == .namedUsers([NamedUserID(stored: "u7")]))
        #expect(push.deviceTypes == DeviceTypes(.ios))
        #expect(
            push.draft
                == Draft(
                    title: "Parcel arrived", body: Array("<p>Locker 12 é</p>".utf8),
                    contentType: "text/plain",
                    extra: ["order": "7731"], icon: "https://cdn.example.test/p.png",
                    expiry: .at(Instant(seconds: 1_935_817_689))))
        #expect(push.warnings.isEmpty)
        #expect(push.json.hasPrefix(#"{"audience":{"named_user":"u7"},"device_types":["ios"],"campaigns":"#))
    }

    @Test func `a message needs no more than title and body`() throws {
        let draft = try draft(#"{"title": "T", "body": "B"}"#)
        #expect(
            draft
                == Draft(
                    title: "T", body: [66], contentType: "text/html", extra: [:], icon: nil, expiry: .longest)
        )
    }

    @Test(arguments: [
        #""content_type": null, "extra": null, "icons": null, "expiry": null"#,
        #""content_type": "", "extra": {}, "icons": {"list_icon": ""}"#,
    ])
    func `null, empty and absent are the same`(members: String) throws {
        #expect(try draft(#"{"title": "T", "body": "B", \#(members)}"#) == Draft(title: "T", body: [66]))
    }

    @Test func `names with a hyphen are read too`() throws {
        let draft = try draft(
            #"{"title": "T", "body": "aGVs\nbG8=", "content-type": "A/B", "content-encoding": "base64"}"#)
        #expect(draft == Draft(title: "T", body: Array("hello".utf8), contentType: "A/B"))
    }

    @Test func `scalars in extra become texts, null is left out`() throws {
        let draft = try draft(
            #"{"title": "T", "body": "B", "extra": {"n": 1, "z": 0, "d": -0.50, "t": true, "f": false, "x": null, "a": "é"}}"#
        )
        #expect(draft.extra == ["n": "1", "z": "0", "d": "-0.50", "t": "true", "f": "false", "a": "é"])
    }

    @Test(
        arguments: [
            ("60", .after(seconds: 60)), (#""2031-05-06 07:08:09Z""#, .at(Instant(seconds: 1_935_817_689))),
            ("0", .never), ("9223372036854775807", .after(seconds: 31_556_952_000)),
        ] as [(String, Expiry)])
    func `an expiry is seconds or a time`(text: String, expiry: Expiry) throws {
        #expect(try draft(#"{"title": "T", "body": "B", "expiry": \#(text)}"#).expiry == expiry)
    }

    @Test(arguments: [
        (#"{"body": "B"}"#, "title"), (#"{"title": "T"}"#, "body"), (#"{"title": 7, "body": "B"}"#, "title"),
        (#"{"title": null, "body": "B"}"#, "title"), (#"{"title": "", "body": "B"}"#, "title"),
        (#"{"title": "a\u0000", "body": "B"}"#, "title"), (#"{"title": "T", "body": ["B"]}"#, "body"),
        (#"{"title": "T", "body": "\u0000"}"#, "body"),
        (#"{"title": "T", "body": "*", "content_encoding": "base64"}"#, "body"),
        (#"{"title": "T", "body": "aGVsbG8", "content_encoding": "base64"}"#, "body"),
        (#"{"title": "T", "body": "B", "content_encoding": "gzip"}"#, "content_encoding"),
        (#"{"title": "T", "body": "B", "content_type": "html"}"#, "content_type"),
        (#"{"title": "T", "body": "B", "content_type": "text/html\r\nX: y"}"#, "content_type"),
        (#"{"title": "T", "body": "B", "content_type": "/"}"#, "content_type"),
        (#"{"title": "T", "body": "B", "content_type": 1}"#, "content_type"),
        (#"{"title": "T", "body": "B", "extra": []}"#, "extra"),
        (#"{"title": "T", "body": "B", "extra": "x"}"#, "extra"),
        (#"{"title": "T", "body": "B", "extra": {"o": {"k": 1}}}"#, "extra"),
        (#"{"title": "T", "body": "B", "extra": {"o": [1]}}"#, "extra"),
        (#"{"title": "T", "body": "B", "extra": {"o": "\u0000"}}"#, "extra"),
        (#"{"title": "T", "body": "B", "extra": {"\u0000": "o"}}"#, "extra"),
        (#"{"title": "T", "body": "B", "expiry": -1}"#, "expiry"),
        (#"{"title": "T", "body": "B", "expiry": 1.5}"#, "expiry"),
        (#"{"title": "T", "body": "B", "expiry": true}"#, "expiry"),
        (#"{"title": "T", "body": "B", "expiry": ""}"#, "expiry"),
        (#"{"title": "T", "body": "B", "expiry": "tomorrow"}"#, "expiry"),
        (#"{"title": "T", "body": "B", "expiry": "2026-02-30T00:00:00Z"}"#, "expiry"),
        (#"{"title": "T", "body": "B", "expiry": "{{expiry}}"}"#, "expiry"),
        (#"{"title": "T", "body": "B", "expiry": "2023-11-14T22:13:20Z"}"#, "expiry"),
        (#"{"title": "T", "body": "B", "icons": "x"}"#, "icons"),
        (#"{"title": "T", "body": "B", "icons": {"list_icon": 1}}"#, "icons.list_icon"),
        (#"{"title": "T", "body": "B", "icons": {"list_icon": "javascript:x"}}"#, "icons.list_icon"),
        (#"{"title": "T", "body": "B", "template": {"template_id": "x"}}"#, "template"),
    ])
    func `a bad message is refused with its place`(message: String, path: String) throws {
        #expect(try refusedField { try draft(message) } == "message.\(path)")
    }

    @Test func `the border of each limit is accepted, one more is refused with the limit's name`() throws {
        let sizes: [(name: String, at: Int, make: (Int) -> String)] = [
            ("title_bytes", 1024, { #"{"title": "\#(text($0))", "body": "B"}"# }),
            ("message_body_bytes", 524_288, { #"{"title": "T", "body": "\#(text($0))"}"# }),
            (
                "content_type_bytes", 255,
                { #"{"title": "T", "body": "B", "content_type": "a/\#(text($0 - 2))"}"# }
            ),
            (
                "extra_bytes", 32_768,
                { #"{"title": "T", "body": "B", "extra": {"key": "\#(text($0 - 3))"}}"# }
            ),
            (
                "extra_keys", 100,
                { count in
                    let members = (0..<count).map { "\"k\($0)\": 1" }.joined(separator: ",")
                    return #"{"title": "T", "body": "B", "extra": {\#(members)}}"#
                }
            ),
            (
                "icon_bytes", 2048,
                { #"{"title": "T", "body": "B", "icons": {"list_icon": "ua:\#(text($0 - 3))"}}"# }
            ),
        ]
        for (name, border, make) in sizes {
            #expect(throws: Never.self) { try draft(make(border)) }
            let error = try #require(throws: InboxError.self) { try draft(make(border + 1)) }
            switch error {
            case .invalid(_, _, let limit): #expect(limit == Limit(name, border))
            case .tooLarge(_, _, let limit):
                #expect(limit == Limit(name, border) && name == "message_body_bytes")
            default: Issue.record("\(error)")
            }
        }
    }

    @Test(arguments: ["A", "a", "café", "cafe\u{301}", "u 1"])
    func `an extra may name a person`(id: String) throws {
        let draft = try draft(#"{"title": "T", "body": "B", "extra": {"named_user_id": "\#(id)", "n": 1}}"#)
        let composed = id.precomposedStringWithCanonicalMapping
        #expect(draft.extra["named_user_id"].map { Array($0.utf8) } == Array(composed.utf8))
        #expect(draft.extra["n"] == "1")
    }

    @Test(arguments: [
        #""""#, #"" ""#, #"" A""#, #""A ""#, #""A\t""#, #""A\n""#, "\"A\u{A0}\"", "\"\u{200B}A\"",
        "\"\u{FEFF}A\"", "123", "true",
        "null", "[]", "{}", "\"\(String(repeating: "a", count: 129))\"",
    ])
    func `an extra that names no person is refused`(value: String) throws {
        let path = try refusedField {
            try draft(#"{"title": "T", "body": "B", "extra": {"named_user_id": \#(value)}}"#)
        }
        #expect(path == "message.extra.named_user_id")
    }

    @Test func `an extra that names two people is refused`() throws {
        let twice = #"{"title": "T", "body": "B", "extra": {"named_user_id": "A", "named_user_id": "A"}}"#
        #expect(throws: InboxError.self) { try draft(twice) }
    }

    @Test(arguments: ["Named_User_ID", " named_user_id"])
    func `a key that looks like the filter's is accepted with a warning`(key: String) throws {
        let push = try push(
            #"{"audience": "all", "device_types": "all", "message": {"title": "T", "body": "B", "extra": {"\#(key)": "A"}}}"#
        )
        #expect(push.draft?.extra == [key: "A"])
        #expect(push.warnings.count == 1)
    }

    @Test(arguments: [
        ("", ""), ("{", ""), ("7", ""), ("[]", ""), ("[7]", "[0]"), ("null", ""),
        (#"{"device_types": "all", "message": {"title": "T", "body": "B"}}"#, "audience"),
        (#"{"audience": "all", "message": {"title": "T", "body": "B"}}"#, "device_types"),
        (#"{"audience": "all", "device_types": "all"}"#, ""),
        (#"{"audience": "all", "device_types": "all", "message": null, "notification": null}"#, ""),
        (#"{"audience": "all", "device_types": "all", "notification": "x"}"#, "notification"),
        (#"{"audience": "all", "device_types": "all", "message": "x"}"#, "message"),
        (
            #"[{"audience": "all", "device_types": "all", "in_app": {}}, {"audience": {"tag": 1}, "device_types": "all"}]"#,
            "[1].audience.tag"
        ),
    ])
    func `a bad push is refused with its place`(text: String, path: String) throws {
        #expect(try refusedField { try push(text) } == path)
    }

    @Test(arguments: ["notification", "in_app"])
    func `a push without a message is accepted and told to keep nothing`(member: String) throws {
        let push = try push(#"{"audience": "all", "device_types": "all", "\#(member)": {"alert": "x"}}"#)
        #expect(push.draft == nil)
        #expect(push.warnings == ["the push has no message: nothing is kept in any inbox"])
    }

    @Test func `a hundred pushes are read in order, one more is refused`() throws {
        func pushes(_ count: Int) -> [UInt8] {
            let one = (0..<count).map {
                #"{"audience": "all", "device_types": "all", "message": {"title": "\#($0)", "body": ""}}"#
            }
            return Array("[\(one.joined(separator: ","))]".utf8)
        }
        let read = try PushRequest.parse(pushes(100), limits: Limits(), now: now)
        #expect(read.map(\.draft?.title) == (0..<100).map { "\($0)" })
        #expect(throws: InboxError.self) { try PushRequest.parse(pushes(101), limits: Limits(), now: now) }
    }

    @Test func `random changes of a push are refused or read, and never crash`() throws {
        let whole = Array(
            #"{"audience":{"or":[{"tag":"a"},{"named_user":["u"]}]},"device_types":["ios"],"message":{"title":"T","body":"B","extra":{"k":1},"expiry":60}}"#
                .utf8)
        var random = SplitMix(state: 11)
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: 0x20...0x7E, using: &random)
            }
            do throws(InboxError) {
                _ = try PushRequest.parse(bytes, limits: Limits(), now: now)
            } catch {
                #expect([400, 413].contains(WireError(error).status))
            }
        }
    }

    private let now = Instant(seconds: 1_700_000_000)

    private func push(_ text: String) throws -> PushRequest {
        let pushes = try PushRequest.parse(Array(text.utf8), limits: Limits(), now: now)
        return try #require(pushes.first)
    }

    private func draft(_ message: String) throws -> Draft {
        try #require(try push(#"{"audience": "all", "device_types": "all", "message": \#(message)}"#).draft)
    }

    private func refusedField(_ read: () throws -> Any) throws -> String {
        let error = try #require(throws: InboxError.self) { try read() }
        switch error {
        case .invalid(let field, _, _), .tooLarge(let field, _, _): return field
        default: return "\(error)"
        }
    }
}

private func text(_ count: Int) -> String { String(repeating: "x", count: count) }
