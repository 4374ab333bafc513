import Crypto
import Testing

@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==\n", "foob"),
        ("Zm9vYmFy \r\n", "foobar"),
    ])
    func `base64 is read with or without padding, and with white space at its end`(
        text: String, bytes: String
    ) {
        #expect(Base64.decode(text) == Array(bytes.utf8))
    }

    @Test(arguments: ["Z", "Zh", "Zg=", "Zm9v====", "Zm 9v", "Zm9v!", "_w==", "=", "Zg==Zg==", "\0Zg"])
    func `what is not base64 is nothing`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `what is written can be read`() {
        for count in 0..<70 {
            let bytes = RandomBytes.bytes(count)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
        #expect(Base64.encode(Array("foob".utf8)) == "Zm9vYg==")
    }
}
