public import Foundation
import InboxModel
import Platform

/// A message of the inbox as it was when it was asked for: a snapshot, which never changes.
public struct InboxMessage: Identifiable, Hashable, Sendable {
    private let row: MessageRow

    package init(_ row: MessageRow) { self.row = row }

    /// The message's id, 22 characters of `A-Za-z0-9_-`.
    public var id: String { row.id.text }
    /// The title, plain text.
    public var title: String { row.content.title }
    /// The second line of a row, from the extra `com.urbanairship.listing.field1`.
    public var subtitle: String? { row.content.extra["com.urbanairship.listing.field1"] }
    /// The media type of the body, such as `text/html`.
    public var contentType: String { row.content.contentType }
    /// What the sender put beside title and body.
    public var extra: [String: String] { row.content.extra }
    /// Address of the picture beside the message in a list.
    public var listIcon: String? { row.content.icon }
    /// Whether nobody of this view has read it.
    public var isUnread: Bool { row.isUnread }
    /// When it was sent, to the millisecond.
    public var sent: Date { row.content.sent.date }
    /// From when on it is shown no more; nothing if the server does not tell.
    public var expires: Date? { row.content.expires?.date }
    /// Whether it has expired; only where the host shows such messages.
    public var isExpired: Bool { row.hasExpired }
    /// Whether it lies in the inbox of the person who is logged in, and so goes with the person.
    public var belongsToPerson: Bool { row.place == .person }
    /// Whether it was sent to everyone.
    public var isBroadcast: Bool { row.place == .app }

    package var content: MessageContent { row.content }
}

extension Instant {
    /// The same moment for Foundation.
    var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 1_000_000) }
}
