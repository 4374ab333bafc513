import HTTPCore
import InboxClient
import InboxModel
import InboxWire

/// Reads lists and changes of `/v1`, each spelling of a message once, so that all devices share what they hold.
struct PageReader: Sendable {
    private var known: [Spelling: MessageRow] = [:]
    /// Spellings kept; beyond, all are forgotten and read anew, which costs time only.
    private static let kept = 400_000

    private struct Spelling: Hashable {
        let hash: UInt64
        let bytes: Int
    }

    /// The answer to a list; nothing else than 200 has one.
    mutating func list(_ response: Response, _ share: (MessageRow) -> MessageRow) throws(Unreadable)
        -> SyncPage
    {
        let (rows, rest) = try read(response.body, "messages", share)
        var page = SyncPage()
        (page.changed, page.isWhole) = (rows, true)
        page.cursor = try text(rest, "cursor")
        page.validator = response.headers["ETag"]
        page.unreadCount = try number(rest, "unread_count")
        return page
    }

    /// A page of a list.
    struct Part {
        let rows: [MessageRow]
        /// Where the next one begins; nothing after the last.
        let next: String?
        let unreadCount: Int
    }

    mutating func part(
        _ response: Response, _ share: (MessageRow) -> MessageRow
    ) throws(Unreadable) -> Part {
        let (rows, rest) = try read(response.body, "messages", share)
        let next = rest["next"] == .null ? nil : try text(rest, "next")
        return Part(rows: rows, next: next, unreadCount: try number(rest, "unread_count"))
    }

    /// A message that was asked for alone.
    mutating func message(
        _ response: Response, _ share: (MessageRow) -> MessageRow
    ) throws(Unreadable) -> MessageRow {
        share(try row(response.body))
    }

    mutating func changes(_ response: Response, _ share: (MessageRow) -> MessageRow) throws(Unreadable)
        -> SyncPage
    {
        let (rows, rest) = try read(response.body, "changed", share)
        guard case .array(let removed)? = rest["removed"], case .bool(let isWhole)? = rest["reset"],
            case .bool(let hasMore)? = rest["more"]
        else { throw Unreadable("removed, reset or more is missing") }
        var page = SyncPage()
        (page.changed, page.isWhole, page.hasMore) = (rows, isWhole, hasMore)
        for id in removed {
            guard case .string(let text) = id, let id = MessageID(text: text.utf8) else {
                throw Unreadable("a removed id is \(id.kind)")
            }
            page.removed.append(id)
        }
        page.cursor = try text(rest, "cursor")
        page.unreadCount = try number(rest, "unread_count")
        return page
    }

    private mutating func read(
        _ body: [UInt8], _ name: String, _ share: (MessageRow) -> MessageRow
    ) throws(Unreadable) -> ([MessageRow], JSON) {
        let parts = ListSplitter(body)
        let rest: JSON
        do {
            rest = try JSON.parse(parts.envelope)
        } catch {
            throw Unreadable("no JSON: \(error.reason)")
        }
        guard case .array(let places)? = rest[name], places.count == parts.messages.count else {
            throw Unreadable("\(name) is missing, or holds something else than messages")
        }
        var rows: [MessageRow] = []
        rows.reserveCapacity(places.count)
        for (range, hash) in zip(parts.messages, parts.hashes) {
            let spelling = Spelling(hash: hash, bytes: range.count)
            if let row = known[spelling] {
                rows.append(row)
            } else {
                rows.append(try decode(Array(body[range]), spelling, share))
            }
        }
        return (rows, rest)
    }

    private mutating func decode(
        _ bytes: [UInt8], _ spelling: Spelling, _ share: (MessageRow) -> MessageRow
    ) throws(Unreadable) -> MessageRow {
        let row = try row(bytes)
        if known.count >= PageReader.kept { known.removeAll() }
        let shared = share(row)
        known[spelling] = shared
        return shared
    }

    private func row(_ bytes: [UInt8]) throws(Unreadable) -> MessageRow {
        guard let json = try? JSON.parse(bytes), let row = MessageRow(listed: json) else {
            throw Unreadable("a message is \(String(decoding: bytes.prefix(400), as: UTF8.self))")
        }
        return row
    }

    private func text(_ json: JSON, _ name: String) throws(Unreadable) -> String {
        guard case .string(let text)? = json[name] else { throw Unreadable("\(name) is no text") }
        return text
    }

    private func number(_ json: JSON, _ name: String) throws(Unreadable) -> Int {
        guard case .number(let number)? = json[name], let value = number.int64 else {
            throw Unreadable("\(name) is no number")
        }
        return Int(value)
    }
}
