import HTTPCore
import InboxModel
import InboxWire
import Platform

/// Reads the bodies of `GET /v1/inbox` and `GET /v1/inbox/changes`.
enum MartletPage {
    /// What of an answer is not as it must be.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    static func list(_ body: [UInt8], _ response: Response, _ reader: any MessageReader) throws -> SyncPage {
        let json = try parsed(body)
        var page = SyncPage()
        try read(json["messages"], "messages", into: &page, reader)
        page.isWhole = true
        page.cursor = try text(json, "cursor")
        page.validator = response.headers["ETag"]
        page.unreadCount = try number(json, "unread_count")
        return page
    }

    static func changes(_ body: [UInt8], _ reader: any MessageReader) throws -> SyncPage {
        let json = try parsed(body)
        var page = SyncPage()
        try read(json["changed"], "changed", into: &page, reader)
        guard case .array(let removed) = json["removed"] else { throw missing("removed") }
        page.removed = removed.compactMap { id in
            if case .string(let text) = id { MessageID(text: text.utf8) } else { nil }
        }
        page.damaged += removed.count - page.removed.count
        page.cursor = try text(json, "cursor")
        page.isWhole = try truth(json, "reset")
        page.hasMore = try truth(json, "more")
        page.unreadCount = try number(json, "unread_count")
        return page
    }

    private static func read(
        _ list: JSON?, _ name: String, into page: inout SyncPage, _ reader: any MessageReader
    ) throws {
        guard case .array(let messages) = list else { throw missing(name) }
        page.changed.reserveCapacity(messages.count)
        for message in messages {
            if let row = reader.row(message) { page.changed.append(row) } else { page.damaged += 1 }
        }
    }

    private static func parsed(_ body: [UInt8]) throws -> JSON {
        do {
            return try JSON.parse(body, duplicateNames: .lastWins)
        } catch {
            throw Unreadable(description: "no JSON: \(error.reason)")
        }
    }

    private static func text(_ json: JSON, _ name: String) throws -> String {
        guard case .string(let text) = json[name] else { throw missing(name) }
        return text
    }

    private static func truth(_ json: JSON, _ name: String) throws -> Bool {
        guard case .bool(let truth) = json[name] else { throw missing(name) }
        return truth
    }

    private static func number(_ json: JSON, _ name: String) throws -> Int {
        guard case .number(let number) = json[name], let value = number.int64 else { throw missing(name) }
        return Int(value)
    }

    private static func missing(_ name: String) -> Unreadable {
        Unreadable(description: "'\(name)' is missing or of another kind")
    }
}
