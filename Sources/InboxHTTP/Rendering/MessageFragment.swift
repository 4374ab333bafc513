import InboxModel
import InboxWire
import Platform

/// A message of a list as JSON, whose last member's value is still to come: all readers share the bytes.
enum MessageFragment {
    /// Part of every validator: raise it when the bytes of a list change, so that all lists are fetched again.
    static let version: UInt64 = 1

    /// Ends in `"unread":`; a boolean and `}` are to follow.
    static func bytes(of head: MessageHead, base: String) -> [UInt8] {
        let id = head.id.text
        let url = "\(base)/api/user/messages/message/\(id)/"
        var bytes = JSONWriter.bytes(capacity: 1024) { writer in
            writer.object { message in
                message.member("message_id", id)
                message.member("message_url", url)
                message.member("message_body_url", url + "body/")
                message.member("message_read_url", url + "read/")
                // What clients send back to mark the message.
                message.object("message_reporting") { $0.member("message_id", id) }
                message.member("message_sent", head.sent.spacedText)
                message.member("message_expiry", head.expires.spacedText)
                message.member("title", head.title)
                message.member("content_type", listed(head.contentType))
                message.member("content_size", String(head.bodyBytes))
                message.member("extra", head.extra)
                if let icon = head.icon { message.object("icons") { $0.member("list_icon", icon) } }
                message.name("unread")
            }
        }
        bytes.removeLast()
        return bytes
    }

    /// The content type as clients compare it: they know these two by their bare names only.
    private static func listed(_ contentType: String) -> String {
        let bare = contentType.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        return bare == "text/html" || bare == "text/plain" ? bare : contentType
    }
}
