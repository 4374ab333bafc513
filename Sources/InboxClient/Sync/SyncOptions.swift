package import InboxModel
import Platform

/// How a sync core behaves.
package struct SyncOptions: Sendable {
    /// Which messages are shown, beside what the server says.
    package var filter = NamedUserFilter.off
    /// Which messages the app wants to show; all of them without it.
    package var predicate: (@Sendable (InboxMessage) -> Bool)?
    /// Whether what expired while this device held it stays and is shown, for a host that marks it as such.
    package var keepsExpired = false
    /// Whether the server can tell what changed since a cursor; without it whole lists are asked for.
    package var asksForChanges = true
    /// Whether the server knows messages by what they were listed with (`MarkTarget.reporting`), not by their ids.
    package var marksByReporting = false
    /// Whether the server tells of each message whose inbox holds it: the device's, the person's or the app's.
    package var knowsPlaces = true
    /// Whether the server has event streams, and they are wanted.
    package var usesStream = true
    /// Whether hints to everybody are answered at once instead of at a random time: somebody is looking.
    package var isHasty = false
    /// Whether every change of what is shown is told.
    package var tellsShown = true
    /// Messages that are kept of a view, the newest; well above what a server keeps unless told otherwise.
    package var mostMessages = 1_000
    /// Views that are kept beside the one shown: of people who were logged in before.
    package var mostViews = 8
    /// Messages of one request of marks; a server takes 10,000 unless told otherwise.
    package var marksPerRequest = 500
    /// Changes of one answer.
    package var changesPerPage = 500
    /// Pause after the first failure; twice as long after each further one.
    package var firstPause = Duration.seconds(1)
    package var longestPause = Duration.seconds(300)
    /// Pause before a lost stream is opened again; twice as long after each further loss.
    package var streamPause = Duration.seconds(3)
    package var longestStreamPause = Duration.seconds(60)
    /// Silence after which a stream is dead; a server says something every 15 seconds.
    package var streamSilence = Duration.seconds(40)

    package init() {}
}

/// The filter by the named user that a message's extras name, as devices apply it.
public enum NamedUserFilter: Hashable, Sendable {
    /// Everything is shown.
    case off
    /// Only what names the person who is logged in; with `untargeted` also what names nobody.
    case on(untargeted: Bool)

    /// The extra that names the person whom a message is for.
    package static let key = "named_user_id"

    /// Whether a row is shown while `person` is logged in.
    ///
    /// What the person's own inbox holds passes. Equality is that of bytes after both were brought into NFC.
    package func shows(_ row: MessageRow, to person: NamedUserID?) -> Bool {
        guard case .on(let untargeted) = self, row.place != .person else { return true }
        guard let person else { return false }
        guard let target = row.content.extra[NamedUserFilter.key] else { return untargeted }
        // Swift compares texts by their canonical form, which is that of bytes after both were brought into it.
        return target == person.text
    }
}
