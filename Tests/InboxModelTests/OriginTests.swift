import InboxModel
import Testing

struct OriginTests {
    @Test(arguments: [
        ("https://shop.example", "https://shop.example"), ("HTTPS://Shop.Example", "https://shop.example"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://127.0.0.1:65535", "http://127.0.0.1:65535"),
        ("https://[::1]", "https://[::1]"), ("https://[::1]:8443", "https://[::1]:8443"),
        ("capacitor://localhost", "capacitor://localhost"),
        ("chrome-extension://abcdef", "chrome-extension://abcdef"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"), ("https://a:80", "https://a:80"),
    ])
    func `an origin is kept as browsers send it`(raw: String, text: String) throws {
        #expect(try Origin(raw, field: "o").text == text)
    }

    @Test(arguments: [
        "", "*", "null", "https://", "shop.example", "https://shop.example/", "https://shop.example/path",
        "https://*.shop.example", "https://user@shop.example", "https://shop.example?q",
        "https://shop.example:",
        "https://shop.example:0x1", "https://shop.example:65536", "https://shop.example:08080",
        "https://bücher.example", "https://a b", "https://[::1", "https://a:1:2", "1x://a", "https://a\u{0}",
        "https://shop.example:443", "http://shop.example:80",
    ])
    func `what no browser sends is refused`(raw: String) {
        #expect(throws: InboxError.self) { try Origin(raw, field: "o") }
    }

    @Test func `an origin has at most 300 bytes`() throws {
        let longest = "https://" + String(repeating: "a", count: 292)
        #expect(try Origin(longest, field: "o").text == longest)
        #expect {
            try Origin(longest + "a", field: "o")
        } throws: { error in
            guard case .invalid("o", _, let limit)? = error as? InboxError else { return false }
            return limit == Limit("origin_bytes", 300)
        }
    }
}
