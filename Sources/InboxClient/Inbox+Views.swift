/// Views of a part of what the inbox shows, each for itself: a screen of offers beside one of everything, say.
///
/// What `setPredicate` and the filter hide is in none of them.
extension Inbox {
    /// The messages as they are now of which a test holds, the newest first.
    public func messages(where isShown: @Sendable (InboxMessage) -> Bool) -> [InboxMessage] {
        messages.filter(isShown)
    }

    /// How many of `messages(where:)` are unread.
    public func unreadCount(where isShown: @Sendable (InboxMessage) -> Bool) -> Int {
        messages(where: isShown).unreadCount
    }

    /// The messages of which a test holds whenever these change, beginning with those of now.
    ///
    /// What changes of others is not told.
    public nonisolated func messageUpdates(
        where isShown: @escaping @Sendable (InboxMessage) -> Bool
    ) -> InboxUpdates<[InboxMessage]> {
        InboxUpdates(source: shownMessages) { $0.filter(isShown) }
    }

    /// The number of unread ones among them whenever it changes, beginning with that of now.
    public nonisolated func unreadCountUpdates(
        where isShown: @escaping @Sendable (InboxMessage) -> Bool
    ) -> InboxUpdates<Int> {
        InboxUpdates(source: shownMessages) { $0.filter(isShown).unreadCount }
    }
}

extension [InboxMessage] {
    /// What has expired counts no more, also where it is shown.
    var unreadCount: Int { count(where: { $0.isUnread && !$0.isExpired }) }
}
