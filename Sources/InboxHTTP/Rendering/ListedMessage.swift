import InboxModel
import InboxService
import InboxWire
import Platform

/// A message as `/v1` lists it.
enum ListedMessage {
    /// Part of every validator: raise it when the bytes of a list change, so that all lists are fetched again.
    static let version: UInt64 = 1

    /// The part that all readers share; where it is held and whether it is unread are to follow.
    static func bytes(of head: MessageHead) -> [UInt8] {
        var bytes = JSONWriter.bytes(capacity: 512) { writer in
            writer.object { message in
                message.member("message_id", head.id.text)
                message.member("title", head.title)
                message.member("content_type", head.contentType)
                message.member("body_bytes", head.bodyBytes)
                message.member("extra", head.extra)
                message.member("icon", orNull: head.icon)
                message.member("sent", head.sent.millisecondsText)
                message.member("expires", head.expires.millisecondsText)
            }
        }
        bytes.removeLast()
        return bytes
    }

    static func appendEnd(of row: ViewRow, to bytes: inout [UInt8]) {
        switch row.origin {
        case .device: bytes += #","inbox":"device","unread":"#.utf8
        case .person: bytes += #","inbox":"person","unread":"#.utf8
        case .app: bytes += #","inbox":"app","unread":"#.utf8
        }
        bytes += row.isUnread ? "true}".utf8 : "false}".utf8
    }
}
