import HTTPCore
import InboxModel
import InboxWire
import Platform

/// Reads the body of the device interface's list.
enum DevicePage {
    static func outcome(_ response: Response) -> SyncOutcome {
        guard let json = try? JSON.parse(response.body, duplicateNames: .lastWins),
            case .array(let messages) = json["messages"]
        else { return .failed(SyncProblem(unreadable: "there are no messages", response)) }
        var page = SyncPage()
        page.isWhole = true
        page.validator = response.headers["Last-Modified"]
        page.changed = inOrder(messages.compactMap(row))
        page.damaged = messages.count - page.changed.count
        return .page(page)
    }

    /// Times are whole seconds: messages of one second keep the order in which they were listed.
    private static func inOrder(_ rows: [MessageRow]) -> [MessageRow] {
        var (rows, later) = (rows, [Instant: Int]())
        for index in rows.indices.reversed() {
            rows[index].tie = later[rows[index].content.sent, default: 0]
            later[rows[index].content.sent, default: 0] += 1
        }
        return rows
    }

    private static func row(_ json: JSON) -> MessageRow? {
        guard case .string(let id) = json["message_id"], let id = MessageID(text: id.utf8),
            case .string(let title) = json["title"],
            case .string(let sent) = json["message_sent"], let sent = CalendarTime(text: sent)?.instant,
            case .bool(let isUnread) = json["unread"], let reporting = json["message_reporting"],
            case .string(let bodyURL) = json["message_body_url"]
        else { return nil }
        var words = MessageContent.Words()
        words.title = title
        if case .string(let type) = json["content_type"] { words.contentType = type }
        if case .string(let icon) = json["icons"]?["list_icon"] { words.icon = icon }
        words.extra = json["extra"].map(MessageContent.texts) ?? [:]
        var expires: Instant?
        switch json["message_expiry"] {
        case .string(let text):
            guard let time = CalendarTime(text: text) else { return nil }
            expires = time.instant
        case .null, nil: break
        case .bool, .number, .array, .object: return nil
        }
        let device = MessageContent.DeviceDetails(
            reporting: JSONWriter.bytes { $0.value(reporting) }, bodyURL: bodyURL)
        let content = MessageContent(id, words: words, sent: sent, expires: expires, device: device)
        // Whose inbox holds it is not told; a filter takes it for the device's.
        return MessageRow(content, isUnread: isUnread, place: .device)
    }
}
