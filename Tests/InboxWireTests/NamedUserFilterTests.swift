import Foundation
import InboxModel
import InboxWire
import Platform
import Testing

/// The table that server, library and browser share, as far as a send goes.
struct NamedUserFilterTests {
    struct Row: Decodable, CustomTestStringConvertible {
        enum Send: String, Decodable { case accepted, warned, refused }

        var id: String
        var extra: String?
        var send: Send

        var testDescription: String { id }
    }

    private struct Table: Decodable {
        var rows: [Row]
    }

    static let rows: [Row] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fixtures/named-user-filter.json")
        guard let data = try? Data(contentsOf: file),
            let table = try? JSONDecoder().decode(Table.self, from: data)
        else { preconditionFailure("the table is missing or has another form") }
        return table.rows
    }()

    @Test(arguments: rows)
    func `a message is sent, with a warning or not, or refused, by whom it names`(row: Row) throws {
        let extra = row.extra.map { #", "extra": \#($0)"# } ?? ""
        let body = #"{"audience": "all", "message": {"title": "T", "body": "B"\#(extra)}}"#
        let now = Instant(seconds: 1_900_000_000)
        guard row.send != .refused else {
            #expect(throws: InboxError.self) {
                try MessageRequest(Array(body.utf8), limits: Limits(), now: now)
            }
            return
        }
        let request = try MessageRequest(Array(body.utf8), limits: Limits(), now: now)
        #expect(request.warnings.isEmpty == (row.send == .accepted))
    }

    @Test func `what is refused names its place`() throws {
        for (extra, field) in [
            (#"{"named_user_id": " A"}"#, "message.extra.named_user_id"),
            (#"{"named_user_id": 1}"#, "message.extra.named_user_id"), (#"{"k": {}}"#, "message.extra"),
        ] {
            let body = #"{"audience": "all", "message": {"title": "T", "body": "B", "extra": \#(extra)}}"#
            let error = #expect(throws: InboxError.self) {
                try MessageRequest(Array(body.utf8), limits: Limits(), now: Instant(seconds: 0))
            }
            guard case .invalid(field, _, _)? = error else {
                Issue.record("\(error as Any)")
                continue
            }
        }
    }
}
