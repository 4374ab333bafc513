package import InboxModel
package import Platform

/// Credentials that look at a person's inbox without a device, for a time; see `InboxStore`.
package protocol SessionStore: AnyObject {
    /// Opens a session of a person, who is made if unknown; returns when it ends.
    func openSession(_ session: NewSession, by actor: String) async throws -> Instant
    /// Ends a session at once; false if there is none, or none any more.
    func endSession(_ user: UserID, by actor: String) async throws -> Bool
}

/// A session that is to be opened.
package struct NewSession: Sendable {
    package var user: UserID
    package var secretDigest: [UInt8]
    package var person: NamedUserID
    package var lifeSeconds: Int64

    package init(user: UserID, secretDigest: [UInt8], person: NamedUserID, lifeSeconds: Int64) {
        self.user = user
        self.secretDigest = secretDigest
        self.person = person
        self.lifeSeconds = lifeSeconds
    }
}
