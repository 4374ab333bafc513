package import Foundation
package import InboxModel

/// What cleaning up needs of a store, one small transaction a call; not part of `InboxStore`, since no request does it.
///
/// No call raises a revision, waits for a row that others have locked, or takes away what a view or a cursor can show.
package protocol RetentionStore: AnyObject {
    /// Most rows that a call takes away.
    static var purgedAtOnce: Int { get }
    /// Takes a run for `runner`, if the last one began an hour ago and nobody has one, or goes on with its own that
    /// failed; nothing otherwise.
    func beginRetention(as runner: UUID) async throws -> RetentionRun?
    /// A sign of life; false if another instance has taken the run over.
    func keepRetention(as runner: UUID) async throws -> Bool
    func endRetention(as runner: UUID) async throws
    /// Purges rows of one kind and returns how many: if all that it may, there can be more.
    func purge(_ kind: Purge, in app: AppID, _ times: RetentionTimes) async throws -> Int
    /// The inboxes behind `last`.
    func inboxes(of app: AppID, after last: InboxID, _ times: RetentionTimes) async throws -> InboxPage
    /// Forgets those of the channels that are still dead, with their users and tags; their inboxes then are of nobody.
    ///
    /// Returns how many.
    func bury(_ inboxes: [InboxID], of app: AppID, _ times: RetentionTimes) async throws -> Int
    /// Purges what is in inboxes of nobody, and those that are empty; returns how many rows, as `purge` does.
    func clear(_ inboxes: [InboxID], of app: AppID) async throws -> Int
}
