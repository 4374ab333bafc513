import Foundation
import InboxModel
import InboxService
import Platform
import Testing

@testable import InboxHTTP

@Suite struct RenderingTests {
    private func head(_ change: (inout MessageHead) -> Void = { _ in }) -> MessageHead {
        var head = MessageHead(
            id: MessageID(high: 1, low: 2), title: "Your order", contentType: "text/html", bodyBytes: 128,
            extra: ["com.urbanairship.listing.field1": "ready \"now\" \\ 😀\n"],
            icon: "https://cdn.example/i.png",
            sent: Instant(milliseconds: 1_796_025_600_123), expires: Instant(seconds: 1_800_000_000),
            deviceTypes: .all)
        change(&head)
        return head
    }

    /// What an ordinary decoder, as strict as the strictest client, reads.
    private struct Listed: Decodable, Equatable {
        var message_id: String
        var message_url: URL
        var message_body_url: URL
        var message_read_url: URL
        var message_reporting: [String: String]
        var message_sent: String
        var message_expiry: String
        var title: String
        var unread: Bool
        var content_type: String
        var content_size: String
        var extra: [String: String]
        var icons: [String: String]?
    }

    private func listed(_ head: MessageHead) throws -> Listed {
        let bytes = MessageFragment.bytes(of: head, base: "https://inbox.example/mc") + Array("true}".utf8)
        return try JSONDecoder().decode(Listed.self, from: Data(bytes))
    }

    @Test func `a message has all that clients need, as an ordinary decoder reads it`() throws {
        let id = MessageID(high: 1, low: 2).text
        let url = "https://inbox.example/mc/api/user/messages/message/\(id)/"
        let expected = Listed(
            message_id: id, message_url: try #require(URL(string: url)),
            message_body_url: try #require(URL(string: url + "body/")),
            message_read_url: try #require(URL(string: url + "read/")), message_reporting: ["message_id": id],
            message_sent: "2026-11-30 08:00:00", message_expiry: "2027-01-15 08:00:00", title: "Your order",
            unread: true, content_type: "text/html", content_size: "128",
            extra: ["com.urbanairship.listing.field1": "ready \"now\" \\ 😀\n"],
            icons: ["list_icon": "https://cdn.example/i.png"])
        #expect(try listed(head()) == expected)
    }

    @Test func `hostile texts stay texts`() throws {
        for text in ["", "\"", "\\", "</script>", "\u{1}\u{1F}\u{7F}\u{2028}", "é", "\"}],\"x\":[", "日本語"] {
            let listed = try listed(
                head {
                    $0.title = text
                    $0.extra = [text: text]
                })
            #expect(listed.title == text && listed.extra == [text: text])
        }
    }

    @Test func `icons are there only when there is one, extra always`() throws {
        let listed = try listed(
            head {
                $0.icon = nil
                $0.extra = [:]
            })
        #expect(listed.icons == nil && listed.extra == [:])
    }

    @Test(arguments: [
        ("text/html", "text/html"), ("text/html; charset=utf-8", "text/html"),
        ("TEXT/Plain;x=y", "text/plain"),
        (
            "application/vnd.urbanairship.thomas+json; version=1;",
            "application/vnd.urbanairship.thomas+json; version=1;"
        ),
    ])
    func `content types are listed by the names that clients compare`(type: String, listedType: String) throws
    {
        #expect(try listed(head { $0.contentType = type }).content_type == listedType)
    }

    @Test func `equal heads give equal bytes, and the value of unread comes last`() {
        let many = Dictionary(uniqueKeysWithValues: (0..<50).map { ("k\($0)", "v") })
        let one = MessageFragment.bytes(of: head { $0.extra = many }, base: "b")
        let other = MessageFragment.bytes(of: head { $0.extra = many }, base: "b")
        #expect(one == other)
        #expect(one.suffix(10).elementsEqual(",\"unread\":".utf8))
    }

    private func heads(_ numbers: Range<UInt64>) -> [MessageHead] {
        numbers.map { number in head { $0.id = MessageID(high: 0, low: number) } }
    }

    private func key(_ number: UInt64, _ place: PublicBase, app: Int32 = 1) -> FragmentKey {
        FragmentKey(
            app: AppID(rawValue: app), message: MessageID(high: 0, low: number), form: .device(place))
    }

    @Test func `fragments are found by app, message and base URL`() {
        let (here, there) = (PublicBase("http://here"), PublicBase("http://there"))
        var cache = FragmentCache(limitBytes: 1 << 20)
        cache.add(heads(0..<2), app: AppID(rawValue: 1), form: .device(here))
        #expect(cache.facts(key(0, here)) != nil)
        #expect(cache.facts(key(0, here, app: 2)) == nil)
        #expect(cache.facts(key(0, there)) == nil)
        #expect(cache.facts(key(9, here)) == nil)
        var bytes: [UInt8] = []
        cache.append(key(1, here), to: &bytes)
        #expect(bytes == MessageFragment.bytes(of: heads(1..<2)[0], base: "http://here"))
    }

    @Test func `what is used stays, what is not goes, and the bytes stay right`() {
        let here = PublicBase("http://here")
        let size = MessageFragment.bytes(of: head(), base: here.text).count
        var cache = FragmentCache(limitBytes: 20 * size)
        for number in UInt64(0)..<200 {
            cache.add(heads(number..<number + 1), app: AppID(rawValue: 1), form: .device(here))
            #expect(cache.facts(key(0, here)) != nil)
            var bytes: [UInt8] = []
            cache.append(key(0, here), to: &bytes)
            #expect(bytes == MessageFragment.bytes(of: heads(0..<1)[0], base: here.text))
        }
        let left = (UInt64(0)..<200).count { cache.facts(key($0, here)) != nil }
        #expect((10...25).contains(left))
    }

    @Test func `a cache keeps about its limit, the most lately used`() {
        var cache = RecentCache<Int, Int>(limit: 100)
        for number in 0..<1000 {
            cache.insert(number, for: number, cost: 1)
            #expect(cache.value(for: 0) == 0)
            #expect(cache.value(for: number) == number)
        }
        #expect(cache.value(for: 500) == nil)
        let left = (0..<1000).count { cache.value(for: $0) != nil }
        #expect(left <= 110)
        cache.insert(7, for: 0, cost: 1)
        #expect(cache.value(for: 0) == 7)
    }
}
