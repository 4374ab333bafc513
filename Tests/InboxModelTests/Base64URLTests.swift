import Foundation
import InboxModel
import Testing

@Suite struct Base64URLTests {
    @Test func `bytes of any number are spelled as standard base64 spells them, in the other alphabet`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 151 + count * 77) }
            let standard = Data(bytes).base64EncodedString()
            let expected = standard.replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
            #expect(Base64URL.encode(bytes) == expected)
            #expect(Base64URL.decode(Array(expected.utf8)[...]) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "AB", "AAB", "AA==", "AA=", "A A", "AA\n", "+A", "/A", "\u{C3}", "AAAA.", "AAAAAAAAB",
        "A\0",
    ])
    func `what is no base64url, or not the one spelling of its bytes, is nothing`(text: String) {
        #expect(Base64URL.decode(Array(text.utf8)[...]) == nil)
    }
}
