package import InboxModel
import Platform

/// A message of a view, as the server last told it.
package struct MessageRow: Hashable, Sendable {
    package let content: MessageContent
    package var isUnread: Bool
    package var place: Place
    /// Of messages of one time the one with more stands first, as the list had them: some interfaces tell whole seconds.
    ///
    /// In what is shown it is 0, since the order says it.
    package var tie = 0
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

    /// List order: the newest first; of the same millisecond as their list had it, else by the id's text.
    package static func precedes(_ one: MessageRow, _ other: MessageRow) -> Bool {
        guard one.content.sent.milliseconds == other.content.sent.milliseconds, one.tie != other.tie else {
            return MessageContent.precedes(one.content, other.content)
        }
        return one.tie > other.tie
    }

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
