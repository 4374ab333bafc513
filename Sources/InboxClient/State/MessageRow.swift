package import InboxModel

/// A message of a view, as the server last told it.
package struct MessageRow: Hashable, Sendable {
    package let content: MessageContent
    package var isUnread: Bool
    package var place: Place
    /// In what is shown: it has expired, and the host wants to show it all the same.
    ///
    /// What is kept does not say.
    package var hasExpired = false

    package init(_ content: MessageContent, isUnread: Bool, place: Place) {
        self.content = content
        self.isUnread = isUnread
        self.place = place
    }

    package var id: MessageID { content.id }

    /// Whose inbox holds a message.
    package enum Place: String, Hashable, Sendable {
        case device
        case person
        /// It was sent to everyone.
        case app
    }
}

/// What a user does to a message.
package enum MessageMark: String, Hashable, Sendable, CaseIterable {
    case read
    case unread
    case delete
}
