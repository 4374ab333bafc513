package import InboxModel

/// How long what nobody can see any more is kept, in days.
package struct RetentionTimes: Hashable, Sendable {
    /// Messages, after their expiry: as long as a client's cursor is good, so that nothing changes for one.
    package var expired: Int32 = 30
    /// Channels, after they were uninstalled.
    package var uninstalled: Int32 = 30
    /// Channels, after their last registration.
    package var silent: Int32 = 400
    /// What clients said of messages.
    package var clientEvents: Int32 = 90
    /// Who did what.
    package var audit: Int32 = 400

    package init() {}
}

/// What one run cleans up.
package struct RetentionRun: Hashable, Sendable {
    package var apps: [AppID]
    /// Whether inboxes are walked, too: until a run has done it on this day.
    package var walksInboxes: Bool

    package init(apps: [AppID], walksInboxes: Bool) {
        self.apps = apps
        self.walksInboxes = walksInboxes
    }
}

/// A kind of rows that are purged by their age; as people call them.
package enum Purge: String, Sendable {
    /// Of the oldest messages that go, marks of broadcasts among them.
    case deliveries
    /// Of the same messages.
    case fetches
    /// The same messages, as far as neither is left: then the next ones are the oldest.
    case messages
    case logEntries = "log entries"
    case proofs = "used proofs"
    case sessions = "sessions"
    case idempotencyKeys = "idempotency keys"
    case clientEvents = "client events"
    case audit = "audit entries"

    /// What goes with nothing else.
    package static let byAgeAlone: [Purge] = [
        .logEntries, .proofs, .sessions, .idempotencyKeys, .clientEvents, .audit,
    ]
}

/// A page of an app's inboxes, by ascending id.
package struct InboxPage: Sendable {
    /// The last one; nothing if the page is empty.
    package var last: InboxID?
    /// Of channels that are dead.
    package var dead: [InboxID]
    /// Of nobody: no channel, user or person can reach them any more.
    package var ownerless: [InboxID]

    package init(last: InboxID?, dead: [InboxID], ownerless: [InboxID]) {
        self.last = last
        self.dead = dead
        self.ownerless = ownerless
    }
}
