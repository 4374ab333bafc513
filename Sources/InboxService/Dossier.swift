package import InboxModel
package import Platform

/// Everything that is kept about a person; what messages say aside, which is read by itself.
package struct Dossier: Sendable {
    package var person: NamedUserRecord
    /// What the person's own inbox holds, broadcasts that were marked among them; newest first.
    package var messages: [HeldMessage]
    package var sessions: [HeldSession]
    /// Told by sessions; oldest first.
    package var events: [HeldEvent]
    /// What was done to the person; oldest first.
    package var audit: [AuditEntry]
    /// Whether there is nothing more than the limit of each kind let through.
    package var isComplete: Bool

    package init(
        person: NamedUserRecord, messages: [HeldMessage], sessions: [HeldSession], events: [HeldEvent],
        audit: [AuditEntry]
    ) {
        self.person = person
        self.messages = messages
        self.sessions = sessions
        self.events = events
        self.audit = audit
        isComplete = true
    }
}

/// A message in the inbox of a person, shown or not.
package struct HeldMessage: Hashable, Sendable {
    package var message: MessageID
    package var isUnread: Bool
    package var isDeleted: Bool
    /// Sent to everyone; only the mark is the person's.
    package var isBroadcast: Bool
    package var marked: Instant?

    package init(
        message: MessageID, isUnread: Bool, isDeleted: Bool, isBroadcast: Bool, marked: Instant?
    ) {
        self.message = message
        self.isUnread = isUnread
        self.isDeleted = isDeleted
        self.isBroadcast = isBroadcast
        self.marked = marked
    }
}

/// A session of a person, without its secret.
package struct HeldSession: Hashable, Sendable {
    package var user: UserID
    package var created: Instant
    package var expires: Instant

    package init(user: UserID, created: Instant, expires: Instant) {
        self.user = user
        self.created = created
        self.expires = expires
    }
}

/// A client event, and when it was told.
package struct HeldEvent: Hashable, Sendable {
    package var event: ClientEvent
    package var received: Instant

    package init(event: ClientEvent, received: Instant) {
        self.event = event
        self.received = received
    }
}

/// How much would go with a person.
package struct PersonHoldings: Hashable, Sendable {
    /// Logged out, but kept: they are devices, not the person.
    package var channels: Int
    package var tags: Int
    package var messages: Int
    /// Those among `messages` that nobody else holds: what they say goes too.
    package var messagesOfNobodyElse: Int
    package var sessions: Int
    package var events: Int

    package init(
        channels: Int, tags: Int, messages: (all: Int, ofNobodyElse: Int), sessions: Int, events: Int
    ) {
        self.channels = channels
        self.tags = tags
        (self.messages, messagesOfNobodyElse) = messages
        self.sessions = sessions
        self.events = events
    }
}
