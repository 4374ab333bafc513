import Foundation
import InboxModel
import Testing

struct IdentifierTests {
    @Test func `sixteen bytes are 22 digits, as standard base64 spells them`() throws {
        for _ in 0..<200 {
            let uuid = UUID()
            let id = MessageID(pushID: uuid)
            let standard = withUnsafeBytes(of: uuid.uuid) { Data($0).base64EncodedString() }
            let expected = standard.replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
            #expect(id.text == expected)
            #expect(MessageID(text: expected.utf8) == id)
            #expect(id.pushID == uuid.uuidString.lowercased())
        }
    }

    @Test func `a message is found by either spelling`() throws {
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let id = MessageID(pushID: uuid)
        #expect(MessageID(wire: "ABEiM0RVZneImaq7zN3u_w") == id)
        #expect(MessageID(wire: "00112233-4455-6677-8899-aabbccddeeff") == id)
        #expect(MessageID(wire: "00112233-4455-6677-8899-AABBCCDDEEFF") == id)
    }

    @Test(arguments: [
        "", "ABEiM0RVZneImaq7zN3u_", "ABEiM0RVZneImaq7zN3u_wA", "ABEiM0RVZneImaq7zN3u/w",
        "ABEiM0RVZneImaq7zN3u_x",
        "00112233-4455-6677-8899-aabbccddeef", "00112233445566778899aabbccddeeff", "é",
        "ABEiM0RVZneImaq7zN3u=w",
    ])
    func `another spelling is no message id`(text: String) {
        #expect(MessageID(wire: text) == nil)
    }

    @Test(arguments: [(1, 1), (.max, .max), (0, .min), (7, -1), (65_536, 1 << 40)] as [(Int32, Int64)])
    func `a user id is read back`(app: Int32, key: Int64) {
        let id = UserID(app: AppID(rawValue: app), key: key)
        #expect(id.text.utf8.count == 22)
        #expect(UserID(text: Array(id.text.utf8)[...]) == id)
    }

    @Test func `a user id with one digit changed is none`() {
        let text = Array(UserID(app: AppID(rawValue: 3), key: 0x1234_5678_9ABC).text.utf8)
        for index in text.indices {
            var wrong = text
            wrong[index] = wrong[index] == UInt8(ascii: "A") ? UInt8(ascii: "Q") : UInt8(ascii: "A")
            #expect(UserID(text: wrong[...]) == nil)
        }
    }

    @Test(arguments: [
        ("A", "A"), (" A\t", "A"), ("\u{FEFF}A\u{200B}\u{00A0}\n", "A"), ("cafe\u{301}", "caf\u{E9}"),
    ])
    func `a named user is trimmed and composed`(raw: String, kept: String) throws {
        #expect(Array(try NamedUserID(raw).text.unicodeScalars) == Array(kept.unicodeScalars))
    }

    @Test(arguments: ["a+b", "a@b.c", "a b", "a&b=c", "50%", "naïve", "日本", "$x", "x"])
    func `a named user keeps its characters`(raw: String) throws {
        #expect(try NamedUserID(raw).text == raw)
    }

    @Test(arguments: ["", "   ", "\t", "\u{200B}", "a\u{0}b", "a\nb", String(repeating: "a", count: 129)])
    func `a named user that is blank, too long or holds a control character is refused`(raw: String) {
        #expect(throws: InboxError.self) { try NamedUserID(raw) }
    }

    @Test func `the length of a named user is counted in scalars after trimming`() throws {
        let longest = String(repeating: "😀", count: 128)
        #expect(try NamedUserID(" \(longest) ").text == longest)
        #expect(throws: InboxError.self) { try NamedUserID(longest + "😀") }
    }

    @Test func `a channel is read in any case and written in lower case`() {
        let id = ChannelID(text: "00112233-4455-6677-8899-AABBCCDDEEFF")
        #expect(id?.text == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(ChannelID(text: "00112233-4455-6677-8899-aabbccddeef") == nil)
    }

    @Test func `an app key is 22 characters of the alphabet that clients accept`() {
        #expect(AppKey(text: "abcdefghijklmnopqrst-_")?.text == "abcdefghijklmnopqrst-_")
        #expect(AppKey(text: "abcdefghijklmnopqrst-") == nil)
        #expect(AppKey(text: "abcdefghijklmnopqrst-+") == nil)
    }
}
