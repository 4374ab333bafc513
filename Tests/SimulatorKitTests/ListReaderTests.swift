import InboxModel
import SimulatorKit
import Testing

struct ListReaderTests {
    private let composition = Composition(run: "r")

    /// A message as the server shows it, with one member replaced or, by nil, left out.
    private func message(_ number: Int, replacing name: String = "", by value: String? = nil) -> String {
        let id = MessageID(high: 5, low: UInt64(number)).text
        let url = "\"http://h/api/user/messages/message/\(id)/\""
        let extra = composition.extra(number).sorted { $0.key < $1.key }
            .map { "\(quoted($0.key)):\(quoted($0.value))" }.joined(separator: ",")
        var members = [
            ("message_id", quoted(id)), ("message_url", url), ("message_body_url", url),
            ("message_read_url", url), ("message_reporting", "{\"message_id\":\(quoted(id))}"),
            ("message_sent", "\"2026-11-30 08:00:0\(9 - number)\""),
            ("title", quoted(composition.title(number))),
            ("unread", "true"), ("content_type", "\"text/html\""), ("extra", "{\(extra)}"),
        ]
        if let place = members.firstIndex(where: { $0.0 == name }) {
            if let value { members[place].1 = value } else { members.remove(at: place) }
        } else if let value {
            members.append((name, value))
        }
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"" + escaped.replacing("\n", with: "\\n").replacing("\t", with: "\\t") + "\""
    }

    /// Reads the list twice, since the second time its spellings are known.
    private func read(_ body: String) -> [ReadList] {
        var ledger = Ledger(delivery: .devices, tags: [0], people: 0)
        for _ in 0..<3 { _ = ledger.willSend(to: .device(0), lifeSeconds: nil, at: ledger.moment(at: 0)) }
        var reader = ListReader(composition: composition)
        return (0..<2).map { _ in reader.read(Array(body.utf8), &ledger) }
    }

    private func list(_ messages: [String], badge: Int) -> String {
        #"{"ok":true,"badge":\#(badge),"messages":[\#(messages.joined(separator: ","))]}"#
    }

    @Test func `a right list reads the same the first and the second time`() {
        for list in read(list([message(0), message(1), message(2)], badge: 3)) {
            #expect(list.messages.map(\.listed) == (0..<3).map { Listed($0, isUnread: true) })
            #expect(list.isReadable)
            #expect(list.faults.isEmpty)
        }
    }

    @Test(arguments: [
        ("message_id", nil), ("message_url", nil), ("message_body_url", nil), ("message_read_url", nil),
        ("message_reporting", nil), ("message_sent", nil), ("title", nil), ("unread", nil),
        ("message_id", "7"), ("message_url", "\"\""), ("message_body_url", "\"/relative\""),
        ("message_reporting", "null"), ("message_reporting", "{}"), ("message_sent", "\"garbage\""),
        ("message_sent", "\"2026-11-30T08:00:00+0000\""), ("message_sent", "\"2026-02-30 08:00:00\""),
        ("message_expiry", "\"\""), ("title", "null"), ("unread", "1"), ("unread", "\"true\""),
        ("extra", "{\"a\":1}"), ("icons", "{\"list_icon\":null}"),
    ])
    func `a message that a client would refuse spoils the list`(name: String, value: String?) {
        for list in read(list([message(0), message(1, replacing: name, by: value)], badge: 2)) {
            #expect(!list.isReadable)
            #expect(list.faults.map(\.kind) == [.form])
        }
    }

    @Test(arguments: [
        "", "[]", "{\"ok\":true}", "{\"messages\":[1]}", "{\"messages\":[{]}", "{\"messages\":[,]}",
    ])
    func `what is no list is refused`(body: String) {
        #expect(read(body).allSatisfy { !$0.isReadable })
    }

    @Test func `an empty list is right`() {
        #expect(read(list([], badge: 0)).allSatisfy { $0.isReadable && $0.faults.isEmpty })
    }

    @Test func `another title, order or badge than is right is found`() {
        #expect(
            read(list([message(0, replacing: "title", by: "\"x\"")], badge: 1))[0].faults.map(\.kind) == [
                .content
            ])
        #expect(
            read(list([message(1), message(0)], badge: 2)).map { $0.faults.map(\.kind) } == [
                [.order], [.order],
            ])
        #expect(read(list([message(0)], badge: 2)).map { $0.faults.map(\.kind) } == [[.content], [.content]])
    }

    @Test func `a message of another run is unknown`() {
        let other = message(0, replacing: "extra", by: #"{"simulator":"other/0"}"#)
        #expect(read(list([other], badge: 1))[0].faults.map(\.kind) == [.unknown])
        #expect(read(list([message(7)], badge: 1))[0].faults.map(\.kind) == [.unknown])
    }

    @Test(
        arguments: [
            ("Mon, 30 Nov 2026 08:26:23 GMT", 1_796_027_183), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Mon, 30 Nov 2026 08:26:23 UTC", nil), ("30 Nov 2026 08:26:23 GMT", nil), ("", nil),
        ] as [(String, Int64?)])
    func `a validator is a date of HTTP`(text: String, seconds: Int64?) {
        #expect(httpDate(text) == seconds)
    }
}
