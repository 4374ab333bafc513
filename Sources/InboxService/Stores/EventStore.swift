package import InboxModel

/// What clients say of messages; see `InboxStore`.
package protocol EventStore: AnyObject {
    /// Keeps events of a device's user or a session; one whose id the same inbox has used changes nothing.
    func keep(_ events: [ClientEvent], of user: UserID) async throws
}
