import InboxModel
import InboxWire
import Testing

struct AudienceTests {
    @Test(
        arguments: [
            (#""all""#, .everyone),
            (#""ALL""#, .everyone),
            (#"{"named_user": "u1"}"#, .namedUsers([NamedUserID(stored: "u1")])),
            (
                #"{"named_user": [" u1 ", "u2"]}"#,
                .namedUsers([NamedUserID(stored: "u1"), NamedUserID(stored: "u2")])
            ),
            (#"{"tag": "vip"}"#, .tags(["vip"], group: "device")),
            (#"{"group": "plan", "tag": "gold"}"#, .tags(["gold"], group: "plan")),
            (#"{"TAG": ["a", "b"], "Group": "g"}"#, .tags(["a", "b"], group: "g")),
            (
                #"{"AND": [{"tag": "a"}, {"or": [{"tag": "b"}, {"tag": "c"}]}, {"NOT": {"tag": "d"}}]}"#,
                .all([tag("a"), .any([tag("b"), tag("c")]), .not(tag("d"))])
            ),
            (#"{"and": {"tag": "a"}}"#, tag("a")),
            (#"{"or": [{"named_user": "x"}]}"#, .namedUsers([NamedUserID(stored: "x")])),
            (#"{"not": [{"tag": "a"}]}"#, .not(tag("a"))),
        ] as [(String, Audience)])
    func `selectors are read`(text: String, audience: Audience) throws {
        #expect(try read(text) == audience)
    }

    @Test(
        arguments: [
            ("channel", nil), ("ios_channel", .ios), ("android_channel", .android),
            ("amazon_channel", .amazon),
            ("web_channel", .web),
        ] as [(String, DeviceType?)])
    func `a channel is named by its UUID, and perhaps its platform`(kind: String, type: DeviceType?) throws {
        let id = try #require(ChannelID(text: "00112233-4455-6677-8899-aabbccddeeff"))
        #expect(
            try read(#"{"\#(kind)": "00112233-4455-6677-8899-AABBCCDDEEFF"}"#) == .channels([id], type: type))
    }

    @Test(arguments: [
        (#""everyone""#, "audience"), (#""triggered""#, "audience"), ("7", "audience"), ("null", "audience"),
        (#"["all"]"#, "audience"), ("{}", "audience"), (#"{"group": "g"}"#, "audience"),
        (#"{"tag": "a", "named_user": "b"}"#, "audience.named_user"),
        (#"{"tags": "a"}"#, "audience.tags"), (#"{"segment": "s"}"#, "audience.segment"),
        (#"{"subscription_lists": "s"}"#, "audience.subscription_lists"),
        (#"{"static_list": "s"}"#, "audience.static_list"),
        (#"{"open_channel": "s"}"#, "audience.open_channel"),
        (#"{"attribute": "s", "operator": "equals", "value": "x"}"#, "audience.attribute"),
        (#"{"named_user": 26}"#, "audience.named_user"), (#"{"named_user": true}"#, "audience.named_user"),
        (#"{"named_user": {}}"#, "audience.named_user"), (#"{"named_user": null}"#, "audience.named_user"),
        (#"{"named_user": ["a", 1]}"#, "audience.named_user[1]"),
        (#"{"named_user": ["a", ""]}"#, "audience.named_user[1]"),
        (#"{"named_user": []}"#, "audience.named_user"), (#"{"named_user": " "}"#, "audience.named_user"),
        (#"{"channel": "x"}"#, "audience.channel"), (#"{"tag": ""}"#, "audience.tag"),
        (#"{"tag": "a\u0000"}"#, "audience.tag"), (#"{"tag": "a", "group": ""}"#, "audience.group"),
        (#"{"tag": "a", "group": 1}"#, "audience.group"),
        (#"{"named_user": "a", "group": "g"}"#, "audience.group"),
        (#"{"tag": "a", "value": "g"}"#, "audience.value"),
        (#"{"and": []}"#, "audience.and"), (#"{"or": "all"}"#, "audience.or"),
        (#"{"not": "all"}"#, "audience.not"),
        (#"{"or": [{"tag": "a"}, "all"]}"#, "audience.or[1]"),
        (#"{"or": [{"tag": "a"}, {}]}"#, "audience.or[1]"),
        (#"{"or": [{"tag": "a"}, {"not": {"x": 1}}]}"#, "audience.or[1].not.x"),
        (#"{"not": [{"tag": "a"}, {"tag": "b"}]}"#, "audience.not"), (#"{"and": "a"}"#, "audience.and"),
    ])
    func `anything else is refused with its place`(text: String, path: String) throws {
        let error = try #require(throws: InboxError.self) { try read(text) }
        guard case .invalid(let field, _, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(field == path)
    }

    @Test func `what is not supported yet says so`() throws {
        let error = try #require(throws: InboxError.self) { try read(#"{"segment": "s"}"#) }
        #expect(
            error == .invalid(field: "audience.segment", reason: "the selector 'segment' is not supported"))
    }

    @Test func `twenty levels are read, one more is refused`() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"not":"#, count: levels - 1) + #"{"tag":"a"}"#
                + String(repeating: "}", count: levels - 1)
        }
        #expect(throws: Never.self) { try read(nested(20)) }
        #expect(throws: InboxError.self) { try read(nested(21)) }
    }

    @Test func `a thousand selectors are read, one more is refused wherever it stands`() throws {
        func tags(_ count: Int) -> String { (0..<count).map { "\"t\($0)\"" }.joined(separator: ",") }
        #expect(throws: Never.self) { try read(#"{"tag": [\#(tags(1000))]}"#) }
        #expect(throws: InboxError.self) { try read(#"{"tag": [\#(tags(1001))]}"#) }
        #expect(throws: InboxError.self) {
            try read(#"{"or": [{"tag": [\#(tags(600))]}, {"tag": [\#(tags(401))]}]}"#)
        }
    }

    @Test(
        arguments: [
            (#""all""#, .all), (#"["all"]"#, .all), (#"["ios", "ALL"]"#, .all),
            (#""ios""#, DeviceTypes(.ios)),
            (#"["ios", "android", "ios"]"#, DeviceTypes(rawValue: 3)),
            (#"["web", "amazon"]"#, DeviceTypes(rawValue: 12)),
        ] as [(String, DeviceTypes)])
    func `device types are read`(text: String, types: DeviceTypes) throws {
        #expect(try DeviceTypes(JSONField(JSON.parse(Array(text.utf8)))) == types)
    }

    @Test(arguments: [
        "[]", "{}", "null", "1", #"["ios", 1]"#, #"["blackberry"]"#, #"["sms"]"#, #"["open::x"]"#, #""open""#,
        #""iOS""#,
    ])
    func `other device types are refused`(text: String) throws {
        #expect(throws: InboxError.self) { try DeviceTypes(JSONField(JSON.parse(Array(text.utf8)))) }
    }

    private func read(_ text: String) throws -> Audience {
        var reader = AudienceReader(limits: Limits())
        return try reader.audience(JSONField(try JSON.parse(Array(text.utf8)), path: "audience"))
    }
}

private func tag(_ name: String) -> Audience { .tags([name], group: Audience.deviceTagGroup) }
