import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// An answer that cannot be what was asked for, in words for the story.
struct Unreadable: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

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

/// The bodies of answers.
extension Response {
    /// The body as JSON, where the status is the one that was expected.
    func json(_ status: Int = 200) throws(Unreadable) -> JSON {
        guard self.status == status else { throw Unreadable(words) }
        do {
            return try JSON.parse(body, duplicateNames: .refuse)
        } catch {
            throw Unreadable("\(words), which is no JSON")
        }
    }

    /// What came, for a story.
    var words: String {
        let text = String(decoding: body.prefix(400), as: UTF8.self)
        return text.isEmpty ? "\(status)" : "\(status) \(text)"
    }
}

extension JSON {
    /// How it is written.
    var text: String { String(decoding: JSONWriter.bytes { $0.value(self) }, as: UTF8.self) }

    func string(_ name: String) throws(Unreadable) -> String {
        guard case .string(let text)? = self[name] else { throw missing(name) }
        return text
    }

    /// A text or null.
    func optional(_ name: String) throws(Unreadable) -> String? {
        if self[name] == .null { return nil }
        return try string(name)
    }

    func number(_ name: String) throws(Unreadable) -> Int {
        guard case .number(let number)? = self[name], let value = number.int64 else { throw missing(name) }
        return Int(value)
    }

    func bool(_ name: String) throws(Unreadable) -> Bool {
        guard case .bool(let truth)? = self[name] else { throw missing(name) }
        return truth
    }

    func array(_ name: String) throws(Unreadable) -> [JSON] {
        guard case .array(let elements)? = self[name] else { throw missing(name) }
        return elements
    }

    private func missing(_ name: String) -> Unreadable { Unreadable("no right '\(name)' in \(text)") }
}
