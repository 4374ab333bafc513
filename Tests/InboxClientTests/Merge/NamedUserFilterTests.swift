import Foundation
import InboxClient
import InboxModel
import InboxWire
import Platform
import Testing

/// The table of the filter by named user that server, library and browser share, as far as a device goes.
@Suite struct NamedUserFilterTests {
    struct Row: Decodable, CustomTestStringConvertible {
        var id: String
        var logged_in: String?
        var extra: String?
        var shown: Bool
        var shown_with_untargeted: Bool

        var testDescription: String { id }
    }

    private struct Table: Decodable {
        var rows: [Row]
    }

    static let rows: [Row] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Fixtures/named-user-filter.json")
        guard let data = try? Data(contentsOf: file),
            let table = try? JSONDecoder().decode(Table.self, from: data)
        else { preconditionFailure("the table is missing or has another form") }
        return table.rows
    }()

    @Test(arguments: rows) func `the library shows what the table says, from a page to the screen`(row: Row)
        throws
    {
        let person = try row.logged_in.map { try NamedUserID($0) }
        let text = """
            {"message_id": "aaaaaaaaaaaaaaaaaaaaaA", "title": "T", "sent": "2027-01-15T08:00:00.000Z",
             "inbox": "device", "unread": true, "extra": \(row.extra ?? "null")}
            """
        let json = try JSON.parse(Array(text.utf8), duplicateNames: .lastWins)
        let message = try #require(MessageRow(listed: json))
        #expect(NamedUserFilter.on(untargeted: false).shows(message, to: person) == row.shown)
        #expect(NamedUserFilter.on(untargeted: true).shows(message, to: person) == row.shown_with_untargeted)
        #expect(NamedUserFilter.off.shows(message, to: person))
        var own = message
        own.place = .person
        #expect(NamedUserFilter.on(untargeted: false).shows(own, to: person))
        // And after it was kept.
        let store = try StoreRoom().store()
        try store.save([.view(person, CachedView([message]))])
        let kept = try #require(try store.load().view(of: person)?.row(of: message.id))
        #expect(NamedUserFilter.on(untargeted: false).shows(kept, to: person) == row.shown)
    }
}
