import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// A message as an answer showed it, as far as the rules speak of it.
struct Sighting: Hashable, Sendable {
    var message: MessageID
    var isUnread: Bool
    /// Nothing where the answer does not say.
    var place: ReferenceInbox.Place?
    var sent: Instant
    var expires: Instant

    init(_ listed: ReferenceInbox.Listed) {
        message = listed.message
        isUnread = listed.isUnread
        place = listed.place
        sent = Instant(milliseconds: listed.sent.milliseconds)
        expires = Instant(milliseconds: listed.expires.milliseconds)
    }

    /// The same as the device interface shows it: in whole seconds, and without a place.
    var coarse: Sighting {
        var coarse = self
        coarse.place = nil
        coarse.sent = Instant(seconds: sent.seconds)
        coarse.expires = Instant(seconds: expires.seconds)
        return coarse
    }

    /// Reads a listed message of `/v1`, whose members have one order.
    init(_ json: JSON) throws(Unreadable) {
        guard case .object(let members) = json, members.map(\.name) == Sighting.members,
            case .string(let id) = members[0].value, let message = MessageID(text: id.utf8),
            case .string(let sent) = members[6].value, case .string(let expires) = members[7].value,
            case .string(let place) = members[8].value, case .bool(let isUnread) = members[9].value
        else { throw Unreadable("a listed message is \(json.text)") }
        self.message = message
        self.isUnread = isUnread
        self.place = ReferenceInbox.Place(rawValue: place)
        self.sent = try Sighting.instant(sent)
        self.expires = try Sighting.instant(expires)
        guard self.place != nil else { throw Unreadable("inbox is \(place)") }
    }

    init(_ message: StrictMessage) throws(Unreadable) {
        guard let expires = message.expires else { throw Unreadable("a message without message_expiry") }
        self.message = message.id
        isUnread = message.isUnread
        sent = Instant(seconds: message.sent)
        self.expires = Instant(seconds: expires)
    }

    private static let members = [
        "message_id", "title", "content_type", "body_bytes", "extra", "icon", "sent", "expires", "inbox",
        "unread",
    ]

    /// `2026-11-30T20:00:00.000Z`, with exactly three digits.
    static func instant(_ text: String) throws(Unreadable) -> Instant {
        guard text.utf8.count == 24, text.hasSuffix("Z"), let time = CalendarTime(text: text) else {
            throw Unreadable("a time is \(text)")
        }
        return time.instant
    }
}
