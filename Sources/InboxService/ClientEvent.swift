package import InboxModel
package import Platform

/// What a device or session says of a message or of itself: displayed, opened, dismissed and the like.
package struct ClientEvent: Hashable, Sendable {
    /// Made by the client: the same reader's second event under it is a repetition.
    package var id: String
    package var type: String
    package var message: MessageID?
    /// When it happened, by the client's clock.
    package var at: Instant?
    /// Texts by key as a JSON object, without U+0000.
    package var dataJSON: String

    package init(id: String, type: String, message: MessageID?, at: Instant?, dataJSON: String) {
        self.id = id
        self.type = type
        self.message = message
        self.at = at
        self.dataJSON = dataJSON
    }

    /// A UUID and some more.
    package static let idScalars = 64
    /// A word of the customer's own.
    package static let typeBytes = 64
    /// Enough to say which button on which screen.
    package static let dataKeys = 20
    /// Keys and values together.
    package static let dataBytes = 4096
}
