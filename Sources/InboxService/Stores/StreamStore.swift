package import InboxModel

/// What streams ask on behalf of clients that watch their inbox; see `InboxStore`.
package protocol StreamStore: AnyObject {
    /// As `credential(of:)` for each user, by one statement.
    func credentials(of users: [UserID]) async throws -> [Credential?]
    /// Of which inboxes it is not true that they exist and have that revision, by their places in the array.
    ///
    /// - Complexity: a look-up by key for each.
    func changed(_ inboxes: [KnownInbox]) async throws -> [Int]
    /// Which apps exist with other revisions than the known ones.
    func changed(_ apps: [KnownApp]) async throws -> [AppID]
    /// An app as its streams are told of it; nothing if it is gone.
    func pace(of app: AppID) async throws -> AppPace?
    /// Whether an inbox is still there: a person's goes when the person is erased.
    func exists(_ inbox: InboxID, in app: AppID) async throws -> Bool
}

/// An inbox and its revision when it was last looked at.
package struct KnownInbox: Hashable, Sendable {
    package let key: InboxKey
    package let revision: Revision

    package init(_ key: InboxKey, at revision: Revision) {
        self.key = key
        self.revision = revision
    }
}

/// An app and its revisions when it was last looked at.
package struct KnownApp: Hashable, Sendable {
    package let app: AppID
    package let revision: Revision
    package let settingsRevision: Revision

    package init(_ app: AppID, at revision: Revision, settings: Revision) {
        self.app = app
        self.revision = revision
        settingsRevision = settings
    }
}

/// In which state an app is, and over how long its clients should spread their refresh.
package struct AppPace: Hashable, Sendable {
    package let known: KnownApp
    /// Zero leaves it to the server.
    package let spreadSeconds: Int

    package init(_ known: KnownApp, spreadSeconds: Int) {
        self.known = known
        self.spreadSeconds = spreadSeconds
    }
}
