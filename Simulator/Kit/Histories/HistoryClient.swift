import InboxModel
import Platform
import ReferenceInbox

/// What a client of an inbox remembers.
struct HistoryClient {
    /// A copy of the view, kept by changes.
    var copy: [MessageID: Sighting] = [:]
    /// How far the copy is.
    var cursor: String?
    /// Where it was before the last page.
    var previousCursor: String?
    /// When that was; unknown between pages.
    var moment: Moment?
    /// The last view that it saw as a whole.
    var seen: Seen?
    /// What the last mark or login was answered with.
    var answered: Answered?
    var deviceList: Kept?
    var lists: [Narrowing: Kept] = [:]
    /// Where the last page of a list ended.
    var page: (next: String, last: Sighting)?

    /// A whole view at a cursor.
    struct Seen {
        var cursor: String
        var messages: [MessageID]
        var moment: Moment
    }

    struct Answered {
        var cursor: String
        var moment: Moment
    }

    /// When an answer came; nothing is known of one that came while something else was under way.
    struct Moment: Equatable {
        var deeds: Int
        /// Whose view it was, and how the app was set.
        var owner: Owner?
    }

    /// What decides whether a cursor is still good.
    struct Owner: Equatable {
        var ownership: ReferenceInbox.Ownership?
        var settings: ReferenceInbox.Settings
        /// How often they had been changed, maybe into what they were.
        var changes: Int
    }

    /// A list and the validator that it came with.
    struct Kept {
        var validator: String
        var rows: [Sighting]
        /// What was done until then; nothing if something was under way.
        var deeds: Int?
    }

    /// Applies a page of changes.
    mutating func apply(_ page: ChangesPage) {
        if page.isReset { copy = [:] }
        for row in page.changed { copy[row.message] = row }
        for message in page.removed { copy[message] = nil }
    }
}

/// A page of changes, read.
struct ChangesPage {
    var changed: [Sighting]
    var removed: [MessageID]
    var unreadCount: Int
    var cursor: String
    var hasMore: Bool
    var isReset: Bool
}
