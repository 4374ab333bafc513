import InboxModel
import InboxWire
import Platform

/// Views: each message is one object, whoever holds it.
extension StoreReader {
    /// The views, the one that was made last first.
    func views() throws(StoreError) -> [PersonView] {
        let messages = try messages()
        var rows: [Int64: [MessageRow]] = [:]
        try connection.each("SELECT view, message, is_unread, place, tie FROM rows") {
            row throws(StoreError) in
            var row = row
            let (view, message, isUnread) = (try row.integer(), try row.integer(), try row.integer() == 1)
            guard let content = messages[message], let place = MessageRow.Place(rawValue: try row.text())
            else {
                throw .senseless("a row of message \(message) is none")
            }
            var listed = MessageRow(content, isUnread: isUnread, place: place)
            listed.tie = Int(try row.integer())
            rows[view, default: []].append(listed)
        }
        var views: [PersonView] = []
        try connection.each(
            "SELECT number, person, cursor, validator, is_cut FROM views ORDER BY number DESC"
        ) { row throws(StoreError) in
            var row = row
            let number = try row.integer()
            let person = try row.textOrNull().map(NamedUserID.init(stored:))
            let (cursor, validator) = (try row.textOrNull(), try row.textOrNull())
            var view = CachedView(rows[number] ?? [], cursor: cursor, validator: validator)
            view.isCut = try row.integer() == 1
            views.append(PersonView(person, view))
        }
        return views
    }

    private func messages() throws(StoreError) -> [Int64: MessageContent] {
        var messages: [Int64: MessageContent] = [:]
        try connection.each(
            """
            SELECT number, id, title, content_type, body_bytes, extra, icon, sent, expires, reporting, body_url
            FROM messages
            """
        ) { row throws(StoreError) in
            var row = row
            messages[try row.integer()] = try MessageContent(&row)
        }
        return messages
    }
}

extension MessageContent {
    fileprivate convenience init(_ row: inout SQLiteRow) throws(StoreError) {
        guard let id = MessageID(text: try row.text().utf8) else { throw .senseless("an id is none") }
        var words = Words()
        words.title = try row.text()
        words.contentType = try row.text()
        words.bodyBytes = try row.integerOrNull().map { Int($0) }
        words.extra = try MessageContent.extra(try row.bytesOrNull() ?? [])
        words.icon = try row.textOrNull()
        let sent = Instant(rawValue: try row.integer())
        let expires = try row.integerOrNull().map { Instant(rawValue: $0) }
        let (reporting, url) = (try row.bytesOrNull(), try row.textOrNull())
        let device = reporting.flatMap { reporting in
            url.map { DeviceDetails(reporting: reporting, bodyURL: $0) }
        }
        self.init(id, words: words, sent: sent, expires: expires, device: device)
    }

    private static func extra(_ bytes: [UInt8]) throws(StoreError) -> [String: String] {
        guard case .object(let members)? = (try? JSON.parse(bytes))?["extra"] else {
            throw .senseless("the extras of a message are none")
        }
        return MessageContent.texts(.object(members))
    }
}
