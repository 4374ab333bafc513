import HTTPCore
import Testing

struct RequestTests {
    @Test func `a target is split at its first question mark`() {
        let request = Request(.get, "/a%20b?x=1?2")
        #expect(request.path == "/a%20b")
        #expect(request.query == "x=1?2")
        #expect(Request(.get, "/a").query == nil)
        #expect(Request(.get, "/a?").query == "")
    }

    @Test(arguments: [
        ("a=1&b=2&a=3", ["1", "3"]), ("b=1", []), ("a", [""]), ("a=", [""]), ("a=x+y%2B%41", ["x y+A"]),
        ("%61=1", ["1"]), ("a=%C3%A9", ["é"]), ("a=b=c", ["b=c"]), ("&&a=1&", ["1"]), ("A=1", []),
        ("a=%", ["%"]), ("a=%4", ["%4"]), ("a=%zz1", ["%zz1"]), ("a=%FF", ["\u{FFFD}"]),
    ])
    func `query values are decoded as far as they can be`(query: String, expected: [String]) {
        #expect(Request(.get, "/?\(query)").queryValues("a") == expected)
    }
}

struct BaseURLTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", false, "127.0.0.1", UInt16(8080), ""),
        ("HTTPS://inbox.example.com/base/", true, "inbox.example.com", 443, "/base"),
        ("http://[::1]:81/", false, "::1", 81, ""), ("http://host", false, "host", 80, ""),
    ])
    func `a base is read`(text: String, isSecure: Bool, host: String, port: UInt16, prefix: String) throws {
        let base = try #require(BaseURL(text))
        #expect(base == BaseURL(isSecure: isSecure, host: host, port: port, pathPrefix: prefix))
    }

    @Test(arguments: [
        "", "host", "ftp://host", "http://", "http://:80", "http://u@host", "http://host:99999",
        "http://host:x",
        "http://host?q", "http://[::1", "http://host#f",
    ])
    func `what is no base is refused`(text: String) {
        #expect(BaseURL(text) == nil)
    }

    @Test func `the scheme's own port is left out`() {
        #expect(BaseURL(host: "a", port: 80).description == "http://a")
        #expect(
            BaseURL(isSecure: true, host: "::1", port: 8443, pathPrefix: "/x").description
                == "https://[::1]:8443/x")
    }
}
