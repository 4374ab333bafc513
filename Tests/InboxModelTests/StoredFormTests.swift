import Foundation
import InboxModel
import Platform
import Testing

/// What waits in the database may have been stored by another version of the program.
struct StoredFormTests {
    private static let phone = "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"

    @Test(
        arguments: [
            (#"{"everyone":true}"#, .everyone),
            (
                #"{"channels":["\#(phone)"]}"#,
                .channels(ChannelID(text: phone).map { [$0] } ?? [], type: nil)
            ),
            (
                #"{"channels":["\#(phone)"],"type":2}"#,
                .channels(ChannelID(text: phone).map { [$0] } ?? [], type: .android)
            ),
            (
                #"{"named_users":["ana","Zoë"]}"#,
                .namedUsers([NamedUserID(stored: "ana"), NamedUserID(stored: "Zoë")])
            ),
            (#"{"group":"plan","tags":["gold","tin"]}"#, .tags(["gold", "tin"], group: "plan")),
            (
                #"{"all":[{"not":{"any":[{"group":"g","tags":["a"]},{"everyone":true}]}}]}"#,
                .all([.not(.any([.tags(["a"], group: "g"), .everyone]))])
            ),
        ] as [(String, Audience)])
    func `an audience is stored in one form and read from it`(text: String, audience: Audience) throws {
        #expect(try stored(audience) == text)
        #expect(try JSONDecoder().decode(Audience.self, from: Data(text.utf8)) == audience)
    }

    @Test(arguments: [
        "{}", #"{"segment":"x"}"#, #"{"channels":["x"]}"#, #"{"channels":[],"type":3}"#, #"{"tags":["a"]}"#,
        #"{"not":{}}"#, "[]", "null",
    ])
    func `an audience of an unknown form is refused, not taken for another`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Audience.self, from: Data(text.utf8))
        }
    }

    @Test(
        arguments: [
            (#"{"longest":true}"#, .longest), (#"{"never":true}"#, .never),
            (#"{"after":60}"#, .after(seconds: 60)), (#"{"at":5000}"#, .at(Instant(seconds: 5))),
        ] as [(String, Expiry)])
    func `an expiry is stored in one form and read from it`(text: String, expiry: Expiry) throws {
        #expect(try stored(expiry) == text)
        #expect(try JSONDecoder().decode(Expiry.self, from: Data(text.utf8)) == expiry)
    }

    @Test func `an expiry of an unknown form is refused`() {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Expiry.self, from: Data("{}".utf8)) }
    }

    @Test(
        arguments: [
            (
                #"{"body":"AP8=","content_type":"text/html","expiry":{"longest":true},"extra":{},"title":"T"}"#,
                Draft(title: "T", body: [0, 255])
            ),
            (
                #"{"body":"PHA+","content_type":"text/plain","expiry":{"after":60},"#
                    + #""extra":{"a":"\u0000","b":"1"},"icon":"https://x/y.png","title":"Ü"}"#,
                Draft(
                    title: "Ü", body: Array("<p>".utf8), contentType: "text/plain",
                    extra: ["b": "1", "a": "\u{0}"],
                    icon: "https://x/y.png", expiry: .after(seconds: 60))
            ),
        ] as [(String, Draft)])
    func `a draft is stored in one form and read from it`(text: String, draft: Draft) throws {
        #expect(try StoredForm.text(draft) == text)
        #expect(try StoredForm.value(Draft.self, of: text) == draft)
    }

    private func stored(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
