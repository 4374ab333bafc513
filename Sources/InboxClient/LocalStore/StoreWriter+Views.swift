import InboxModel
import InboxWire
import Platform

/// Views, their rows, and the messages of these.
extension StoreWriter {
    /// Makes a view hold just these rows; only what differs is written.
    func write(_ view: CachedView, of person: NamedUserID?) throws(StoreError) {
        let number = try makeView(of: person)
        try run(
            "UPDATE views SET cursor = ?2, validator = ?3, is_cut = ?4 WHERE number = ?1", .integer(number),
            SQLiteValue(view.cursor), SQLiteValue(view.validator), SQLiteValue(view.isCut))
        let kept = Set(view.rows.map(\.id.text))
        for message in try messages(of: number) where !kept.contains(message) {
            guard let message = MessageID(text: message.utf8) else { throw .senseless("an id is none") }
            try delete(message, from: number)
        }
        for row in view.rows { try write(row, in: number) }
    }

    /// The view of a person; one that is made now stands first.
    func makeView(of person: NamedUserID?) throws(StoreError) -> Int64 {
        if let number = try view(of: person) { return number }
        let number = 1 + (try connection.number("SELECT max(number) FROM views") ?? 0)
        try run(
            "INSERT INTO views (number, person) VALUES (?1, ?2)", .integer(number), SQLiteValue(person?.text))
        return number
    }

    /// A view is not kept any more.
    func forget(_ person: NamedUserID?) throws(StoreError) {
        guard let number = try view(of: person) else { return }
        try run("DELETE FROM rows WHERE view = ?1", .integer(number))
        try run("DELETE FROM views WHERE number = ?1", .integer(number))
    }

    /// No view is kept any more.
    func forgetViews() throws(StoreError) {
        try run("DELETE FROM rows")
        try run("DELETE FROM views")
    }

    /// Takes a message out of a view.
    func delete(_ message: MessageID, from view: Int64) throws(StoreError) {
        try run(
            """
            DELETE FROM rows
            WHERE view = ?1 AND message IN (SELECT number FROM messages WHERE id = ?2)
            """, .integer(view), .text(message.text))
    }

    /// Writes a row in the place of what the view holds of its message.
    func write(_ row: MessageRow, in view: Int64) throws(StoreError) {
        let message = try number(of: row.content)
        try run(
            """
            DELETE FROM rows
            WHERE view = ?1 AND message <> ?3 AND message IN (SELECT number FROM messages WHERE id = ?2)
            """, .integer(view), .text(row.id.text), .integer(message))
        try run(
            """
            INSERT INTO rows (view, message, is_unread, place, tie) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (view, message)
                DO UPDATE SET is_unread = excluded.is_unread, place = excluded.place, tie = excluded.tie
            WHERE is_unread <> excluded.is_unread OR place <> excluded.place OR tie <> excluded.tie
            """, .integer(view), .integer(message), SQLiteValue(row.isUnread), .text(row.place.rawValue),
            .integer(Int64(row.tie)))
    }

    private func view(of person: NamedUserID?) throws(StoreError) -> Int64? {
        try connection.number("SELECT number FROM views WHERE person IS ?1", SQLiteValue(person?.text))
    }

    private func messages(of view: Int64) throws(StoreError) -> [String] {
        var ids: [String] = []
        try connection.each(
            "SELECT id FROM rows JOIN messages ON number = message WHERE view = ?1", [.integer(view)]
        ) { row throws(StoreError) in
            var row = row
            ids.append(try row.text())
        }
        return ids
    }

    /// The number of a message that is kept with just this content, or is from now on.
    private func number(of content: MessageContent) throws(StoreError) -> Int64 {
        let columns = content.columns
        var found: Int64?
        try connection.each(
            """
            SELECT number FROM messages
            WHERE id = ?1 AND title = ?2 AND content_type = ?3 AND body_bytes IS ?4 AND extra = ?5 AND icon IS ?6
                AND sent = ?7 AND expires IS ?8 AND reporting IS ?9 AND body_url IS ?10
            """, columns
        ) { row throws(StoreError) in
            var row = row
            found = try row.integer()
        }
        if let found { return found }
        let number = 1 + (try connection.number("SELECT max(number) FROM messages") ?? 0)
        try connection.each(
            """
            INSERT INTO messages
                (id, title, content_type, body_bytes, extra, icon, sent, expires, reporting, body_url, number)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """, columns + [.integer(number)]
        ) { _ throws(StoreError) in }
        return number
    }
}

extension MessageContent {
    /// Its values in the order of the table; equal contents have equal values.
    fileprivate var columns: [SQLiteValue] {
        [
            .text(id.text), .text(title), .text(contentType), SQLiteValue(bodyBytes.map(Int64.init)),
            .bytes(JSONWriter.bytes { $0.map(extra) }), SQLiteValue(icon),
            .integer(sent.rawValue), SQLiteValue(expires?.rawValue),
            SQLiteValue(device?.reporting), SQLiteValue(device?.bodyURL),
        ]
    }
}

extension JSONWriter {
    /// Extras under one name, as `MessageContent.init` of a row reads them.
    fileprivate mutating func map(_ extra: [String: String]) {
        object { $0.member("extra", extra) }
    }
}
