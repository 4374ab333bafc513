package import InboxModel
import Platform

/// One page of what happened to a view since a cursor.
///
/// A page tells how messages look now, not what happened: so pages may be applied again, and one that tells of a message
/// too often does no harm. While pages are being fetched the view goes on changing; what the last page does not hold has
/// happened after the point that its cursor stands for, and comes with the next one.
package struct Changes: Hashable, Sendable {
    /// In list order.
    package var changed: [ViewRow]
    /// Messages that the view does not hold; the client may never have had some of them.
    package var removed: [MessageID]
    package var cursor: Cursor
    /// Whether to ask again at once.
    package var hasMore: Bool
    /// Whether `changed` is the whole view and everything else is to be dropped.
    package var isReset: Bool

    /// The whole view, for a client whose cursor says nothing about it.
    package init(resetTo view: View, of reader: Reader, epoch: UInt64) {
        changed = view.rows
        removed = []
        cursor = Cursor(epoch: epoch, app: reader.user.app, point: ViewPoint(view, of: reader))
        hasMore = false
        isReset = true
    }

    /// The next page after a cursor whose outlook on the snapshot's reader is `behind`.
    ///
    /// - Parameters:
    ///   - touched: of the same snapshot as the view, since the cursor's point.
    ///   - limit: messages on a page, at least one.
    package init(
        _ view: View, of reader: Reader, touched: [MessageID], after cursor: Cursor, limit: Int
    ) {
        precondition(limit > 0, "a page holds something")
        let now = ViewPoint(view, of: reader)
        let target = cursor.rest?.point ?? now
        var left = touched.sorted { $0.comesBefore($1) }
        if let rest = cursor.rest { left.removeAll { !rest.after.comesBefore($0) } }
        var missing = Set(left.prefix(limit))
        changed = view.rows.filter { missing.remove($0.message) != nil }
        removed = left.prefix(limit).filter { missing.contains($0) }
        var next = Cursor(epoch: cursor.epoch, app: cursor.app, point: target)
        if left.count > limit {
            next = cursor
            next.rest = Cursor.Rest(point: target, after: left[limit - 1])
        }
        hasMore = left.count > limit || !target.isCurrent(for: reader)
        self.cursor = next
        isReset = false
    }
}

extension Cursor {
    /// What a cursor means to a reader now.
    package enum Outlook: Hashable, Sendable {
        /// Nothing has changed; this cursor says so from now on.
        case current(Cursor)
        /// There may be changes since its point.
        case behind
        /// It is of another view, or of another life of the database: only the whole view helps.
        case useless
    }

    /// How long a cursor is good: tombstones are kept at least as long.
    package static let lifeMicroseconds: Int64 = 30 * 86_400 * 1_000_000
    /// Age at which a cursor is given out anew although nothing has changed.
    private static let renewalMicroseconds: Int64 = 86_400 * 1_000_000

    /// Compares the cursor with what a snapshot says of a reader.
    package func outlook(of reader: Reader, epoch: UInt64) -> Outlook {
        let age = reader.now.rawValue - point.time.rawValue
        let known = rest?.point ?? point
        guard self.epoch == epoch, app == reader.user.app, point.isComparable(to: reader),
            known.isComparable(to: reader), point.deviceTypes == reader.deviceTypes,
            point.state.settingsRevision == reader.state.settingsRevision,
            !point.state.isAhead(of: reader.state), !known.state.isAhead(of: reader.state),
            (0...Cursor.lifeMicroseconds).contains(age)
        else { return .useless }
        guard rest == nil, point.isCurrent(for: reader) else { return .behind }
        var renewed = self
        if age > Cursor.renewalMicroseconds { renewed.point.time = reader.now }
        return .current(renewed)
    }

    /// Whether what the view showed at the cursor can be told from what came later: whether it is of the same inboxes,
    /// under the same settings, since a filter may have hidden then what is shown now.
    package func isOfView(of reader: Reader, epoch: UInt64) -> Bool {
        self.epoch == epoch && app == reader.user.app && point.isComparable(to: reader)
            && point.state.settingsRevision == reader.state.settingsRevision
            && !point.state.isAhead(of: reader.state)
    }
}

extension ViewState {
    /// Whether a counter of this state has not been reached by another of the same inboxes.
    fileprivate func isAhead(of other: ViewState) -> Bool {
        deviceRevision > other.deviceRevision || personRevision > other.personRevision
            || appRevision > other.appRevision || settingsRevision > other.settingsRevision
    }
}

extension MessageID {
    /// Any order will do that does not change.
    fileprivate func comesBefore(_ other: MessageID) -> Bool { halves < other.halves }
}
