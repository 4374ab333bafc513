import InboxModel
import InboxWire
import Platform
import Testing

struct BackendRequestTests {
    private let id = "00112233-4455-6677-8899-aabbccddeeff"

    @Test func `a change of tags is read with one name or several`() throws {
        let request = try TagRequest(
            channels: bytes(
                #"{"audience": {"ios_channel": "\#(id)"}, "add": {"plan": ["gold"]}, "remove": {"plan": "old"}}"#
            ),
            limits: Limits())
        #expect(request.targets.map(\.text) == [id])
        #expect(request.change.add == ["plan": ["gold"]])
        #expect(request.change.remove == ["plan": ["old"]])
        let people = try TagRequest(
            people: bytes(#"{"audience": {"named_user_id": ["a", "b"]}, "set": {"plan": []}}"#),
            limits: Limits())
        #expect(people.targets.map(\.text) == ["a", "b"])
        #expect(people.change.set == ["plan": []])
    }

    @Test(arguments: [
        (#"{}"#, "audience"), (#"{"audience": {}, "add": {"g": "t"}}"#, "audience"),
        (#"{"audience": {"named_user_id": "a"}}"#, ""),
        (#"{"audience": {"named_user_id": []}, "add": {}}"#, "audience"),
        (#"{"audience": {"channel": "a"}, "add": {"g": "t"}}"#, "audience.channel"),
        (#"{"audience": {"named_user_id": 1}, "add": {"g": "t"}}"#, "audience.named_user_id"),
        (#"{"audience": {"named_user_id": "a"}, "add": {"g": "t"}, "set": {"g": "t"}}"#, "set"),
        (#"{"audience": {"named_user_id": "a"}, "add": {"g": "t"}, "remove": {"g": ["x", "t"]}}"#, "add.g"),
        (#"{"audience": {"named_user_id": "a"}, "add": {"": "t"}}"#, "add."),
        (#"{"audience": {"named_user_id": "a"}, "add": {"ua_x": "t"}}"#, "add.ua_x"),
        (#"{"audience": {"named_user_id": "a"}, "add": {"g": 1}}"#, "add.g"),
        (#"{"audience": {"named_user_id": "a"}, "add": {"g": ["a", ""]}}"#, "add.g"),
        (#"{"audience": {"named_user_id": "a"}, "add": {"g": "\u0000"}}"#, "add.g"),
        (#"{"audience": {"named_user_id": "a"}, "add": ["g"]}"#, "add"),
    ])
    func `a bad change of tags is refused with its place`(text: String, path: String) throws {
        #expect(try refusedField { try TagRequest(people: bytes(text), limits: Limits()) } == path)
    }

    @Test func `a tag of 128 characters and a hundred tags are accepted, one more is refused`() throws {
        func request(_ tags: [String]) throws {
            let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
            _ = try TagRequest(
                people: bytes(#"{"audience": {"named_user_id": "a"}, "add": {"g": [\#(list)]}}"#),
                limits: Limits())
        }
        #expect(throws: Never.self) { try request([String(repeating: "é", count: 128)]) }
        #expect(throws: InboxError.self) { try request([String(repeating: "é", count: 129)]) }
        #expect(throws: Never.self) { try request((0..<100).map { "t\($0)" }) }
        #expect(throws: InboxError.self) { try request((0..<101).map { "t\($0)" }) }
    }

    @Test func `associations name a channel and a person`() throws {
        let body = bytes(#"{"channel_id": "\#(id)", "device_type": "ios", "named_user_id": " u7 "}"#)
        let expected = try #require(ChannelID(text: id))
        #expect(try AssociationRequest(body, limits: Limits()).namedUser.text == "u7")
        #expect(try AssociationRequest(body, limits: Limits()).channel == expected)
        #expect(try DisassociationRequest(body).namedUser?.text == "u7")
        for nobody in ["", #", "named_user_id": null"#, #", "named_user_id": """#] {
            let body = bytes(#"{"channel_id": "\#(id)"\#(nobody)}"#)
            #expect(try DisassociationRequest(body).namedUser == nil)
        }
        let blank = bytes(#"{"channel_id": "\#(id)", "named_user_id": " "}"#)
        #expect(throws: InboxError.self) { try DisassociationRequest(blank) }
    }

    @Test(arguments: [
        ("[]", ""), (#"{"named_user_id": "u"}"#, "channel_id"),
        (#"{"channel_id": 1, "named_user_id": "u"}"#, "channel_id"),
        (#"{"channel_id": "x", "named_user_id": "u"}"#, "channel_id"),
        (#"{"email_address": "a@b.c", "named_user_id": "u"}"#, "email_address"),
        (#"{"channel_id": "00112233-4455-6677-8899-aabbccddeeff"}"#, "named_user_id"),
        (#"{"channel_id": "00112233-4455-6677-8899-aabbccddeeff", "named_user_id": null}"#, "named_user_id"),
        (#"{"channel_id": "00112233-4455-6677-8899-aabbccddeeff", "named_user_id": ""}"#, "named_user_id"),
        (#"{"channel_id": "00112233-4455-6677-8899-aabbccddeeff", "named_user_id": 26}"#, "named_user_id"),
        (#"{"channel_id": "00112233-4455-6677-8899-aabbccddeeff", "named_user_id": ["a"]}"#, "named_user_id"),
    ])
    func `a bad association is refused with its place`(text: String, path: String) throws {
        #expect(try refusedField { try AssociationRequest(bytes(text), limits: Limits()) } == path)
    }

    @Test func `a message of our own API refuses what it does not know`() throws {
        let message = #""message": {"title": "T", "body": "B"}"#
        let request = try read(#"{"audience": "all", \#(message), "dry_run": true, "options": {}}"#)
        #expect(request.isDryRun)
        #expect(request.deviceTypes == .all)
        for (text, path) in [
            (#"{"audience": "all", \#(message), "dryrun": true}"#, "dryrun"),
            (#"{"audience": "all", \#(message), "dry_run": "yes"}"#, "dry_run"),
            (#"{"audience": "all", \#(message), "options": {"x": 1}}"#, "options.x"),
            (#"{"audience": "all", "message": {"title": "T", "body": "B", "extras": {}}}"#, "message.extras"),
            (#"{"audience": "all"}"#, "message"), (#"{\#(message)}"#, "audience"),
            (#"{"audience": "all", "message": null}"#, "message"),
        ] {
            #expect(try refusedField { try read(text) } == path)
        }
    }

    private func read(_ text: String) throws -> MessageRequest {
        try MessageRequest(bytes(text), limits: Limits(), now: Instant(seconds: 0))
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func refusedField(_ read: () throws -> Any) throws -> String {
        let error = try #require(throws: InboxError.self) { try read() }
        guard case .invalid(let field, _, _) = error else { return "\(error)" }
        return field
    }
}
