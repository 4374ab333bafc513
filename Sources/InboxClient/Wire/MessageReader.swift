import InboxModel
package import InboxWire
import Platform

/// Reads the messages of an answer in the form of `/v1`.
package protocol MessageReader: Sendable {
    /// - Returns: nothing for a message that makes no sense.
    func row(_ json: JSON) -> MessageRow?
}

/// Reads each message anew.
package struct PlainMessageReader: MessageReader {
    package init() {}

    package func row(_ json: JSON) -> MessageRow? { MessageRow(listed: json) }
}

extension MessageRow {
    /// Reads a message as `/v1` lists it; nothing without what every list needs: id, title, time, place and `unread`.
    package init?(listed json: JSON) {
        guard case .string(let id) = json["message_id"], let id = MessageID(text: id.utf8),
            case .string(let title) = json["title"],
            case .string(let sent) = json["sent"], let sent = CalendarTime(text: sent)?.instant,
            case .string(let place) = json["inbox"], let place = Place(rawValue: place),
            case .bool(let isUnread) = json["unread"]
        else { return nil }
        var words = MessageContent.Words()
        words.title = title
        if case .string(let type) = json["content_type"] { words.contentType = type }
        if case .number(let bytes) = json["body_bytes"] { words.bodyBytes = bytes.int64.map { Int($0) } }
        if case .string(let icon) = json["icon"] { words.icon = icon }
        words.extra = json["extra"].map(MessageContent.texts) ?? [:]
        var expires: Instant?
        switch json["expires"] {
        case .string(let text):
            guard let time = CalendarTime(text: text) else { return nil }
            expires = time.instant
        case .null, nil: break
        case .bool, .number, .array, .object: return nil
        }
        self.init(
            MessageContent(id, words: words, sent: sent, expires: expires), isUnread: isUnread, place: place)
    }
}

extension MessageContent {
    /// The text values of extras; of a name that stands twice the last one.
    ///
    /// A target of the named-user filter that is no text names nobody, and is kept as such.
    package static func texts(_ extra: JSON) -> [String: String] {
        guard case .object(let members) = extra else { return [:] }
        var texts: [String: String] = [:]
        for member in members {
            if case .string(let text) = member.value {
                texts[member.name] = text
            } else if member.name == NamedUserFilter.key {
                texts[member.name] = ""
            } else {
                texts[member.name] = nil
            }
        }
        return texts
    }
}
