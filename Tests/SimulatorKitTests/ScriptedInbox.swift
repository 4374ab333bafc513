import InboxModel
import InboxWire
import Platform

/// What the scripted server keeps of one message.
struct ScriptedMessage {
    let id: MessageID
    let title: String
    let body: [UInt8]
    let extra: [String: String]
    /// Milliseconds of virtual time.
    let sent: Int64
    let expires: Int64?
    let isBroadcast: Bool
    /// How many messages there were before.
    let order: Int
    var isRecalled = false
}

/// One row of an inbox.
struct ScriptedRow {
    var isDelivered = false
    var isRead = false
    var isDeleted = false
}

/// A device's or a person's inbox.
struct ScriptedInbox {
    var rows: [MessageID: ScriptedRow] = [:]
    /// Broadcasts from this order on are visible.
    let baseline: Int
}

/// One device.
struct ScriptedDevice {
    var inbox: ScriptedInbox
    let tags: [String]
    var person: String?
    /// Of the last whole list: its rows and its date.
    var shown = ""
    var date: Int64 = 0
}

extension ScriptedMessage {
    /// The message as an element of a list.
    func write(isUnread: Bool, _ fault: Fault?, to writer: inout JSONWriter) {
        let url = "http://server.test/api/user/messages/message/\(id.text)/"
        writer.object { writer in
            writer.member("message_id", id.text)
            writer.member("message_url", url)
            writer.member("message_body_url", url + "body/")
            writer.member("message_read_url", url + "read/")
            writer.member("message_reporting", ["message_id": id.text])
            writer.member("message_sent", text(of: sent))
            if let expires { writer.member("message_expiry", text(of: expires)) }
            writer.member("title", fault == .changesTitles && order % 20 == 3 ? "Other" : title)
            if fault == .writesUnreadAsNumber, order % 20 == 3 {
                writer.member("unread", isUnread ? 1 : 0)
            } else {
                writer.member("unread", isUnread)
            }
            writer.member("content_type", "text/html")
            writer.member("extra", extra)
        }
    }

    private func text(of milliseconds: Int64) -> String {
        Instant(milliseconds: 1_800_000_000_000 + milliseconds).secondsText.replacing("T", with: " ")
    }
}
