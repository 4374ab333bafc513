import Crypto
import HTTPCore
import InboxWire
import Platform
import Testing

@testable import InboxHTTP

@Suite struct EdgeTests {
    @Test func `dates have the form of HTTP and come back as they were`() {
        for (seconds, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
        ] {
            #expect(HTTPDate.text(Int64(seconds)) == text)
            #expect(HTTPDate.parse(text) == Int64(seconds))
        }
    }

    @Test(arguments: [
        "", "Sun", "Sun, 06 Nov 1994", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 CET", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 24:00:00 GMT",
    ])
    func `what is no date of HTTP is nothing`(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test func `listed dates have a blank and no zone`() {
        #expect(Instant(milliseconds: 1_796_025_600_999).spacedText == "2026-11-30 08:00:00")
    }

    private func base(
        _ headers: Headers, peer: String = "", _ change: (inout ShardConfiguration) -> Void = { _ in }
    ) -> String? {
        var configuration = ShardConfiguration(key: SecretKey.generate().key, version: "")
        change(&configuration)
        var bases = PublicBases(configuration)
        let request = Request(.get, "/", headers: headers, peer: peer)
        let first = bases.base(of: request, isNeeded: true)?.text
        #expect(bases.base(of: request, isNeeded: true)?.text == first)
        return first
    }

    @Test func `the public URL decides, whatever headers say`() {
        let headers: Headers = ["Host": "evil.example", "X-Forwarded-Host": "evil.example"]
        let decided = base(headers, peer: "10.0.0.1") {
            $0.publicURL = "https://inbox.example/mc/"
            $0.trustedProxies = ["10.0.0.1"]
        }
        #expect(decided == "https://inbox.example/mc")
    }

    @Test func `loopback and allowed names may stand in Host, others not`() {
        for host in ["localhost", "127.0.0.1:8080", "127.1.2.3", "[::1]:80", "LOCALHOST:1"] {
            #expect(base(["Host": host]) == "http://\(host.lowercased())")
        }
        for host in [
            "", "evil.example", "localhost.evil.example", "127.evil.example", "a b", "localhost/x", "[::2]",
            "localhost:x", "localhost:65536", "localhost:-1", "[::1]:+80", "localhost:1:2",
        ] {
            #expect(base(["Host": host]) == nil)
        }
        #expect(base([:]) == nil)
        #expect(
            base(["Host": "Inbox.Example:8443"]) { $0.allowedHosts = ["inbox.example"] }
                == "http://inbox.example:8443")
        #expect(base(["Host": "localhost"]) { $0.basePath = "/mc/" } == "http://localhost/mc")
    }

    @Test func `forwarded headers count from a trusted proxy only`() {
        let headers: Headers = [
            "Host": "localhost", "X-Forwarded-Host": "a.example, inbox.example", "X-Forwarded-Proto": "https",
            "X-Forwarded-Prefix": "/mc/",
        ]
        #expect(
            base(headers, peer: "10.1.2.3") { $0.trustedProxies = ["10.0.0.0/8"] }
                == "https://inbox.example/mc")
        #expect(
            base(headers, peer: "::ffff:10.1.2.3") { $0.trustedProxies = ["10.0.0.0/8"] }
                == "https://inbox.example/mc")
        #expect(base(headers, peer: "::1") { $0.trustedProxies = ["::1"] } == "https://inbox.example/mc")
        #expect(base(headers, peer: "11.1.2.3") { $0.trustedProxies = ["10.0.0.0/8"] } == "http://localhost")
        #expect(base(headers, peer: "10.1.2.3") == "http://localhost")
    }

    @Test func `the base path may stand before a path or be cut off by a proxy`() {
        var configuration = ShardConfiguration(key: SecretKey.generate().key, version: "")
        configuration.basePath = "/mc"
        let bases = PublicBases(configuration)
        for (path, local) in [
            ("/mc/livez", "/livez"), ("/mc", "/"), ("/livez", "/livez"), ("/mcx/a", "/mcx/a"),
        ] {
            #expect(bases.localPath(path) == local)
        }
    }

    @Test func `credentials are read in the forms that clients send`() throws {
        func read(_ field: String) -> Authorization? {
            Authorization(Request(.get, "/", headers: ["Authorization": field]))
        }
        for field in ["Basic dTphOmI=", "basic dTphOmI", "BASIC   dTphOmI=\n"] {
            guard case .basic(let name, let digest)? = read(field) else {
                Issue.record("\(field) is not read")
                continue
            }
            #expect(name.elementsEqual("u".utf8) && digest == SHA256.digest("a:b"))
        }
        for field in [
            "", "Basic", "Basic ", "Basicx dTphOmI=", "BasicdTphOmI=", "Basic dQ==", "Basic ?", "Digest x",
        ] {
            #expect(read(field) == nil, "\(field)")
        }
        guard case .bearer("abc+/=")? = read("Bearer abc+/=\n") else {
            Issue.record("a bearer token is not read")
            return
        }
    }
}
