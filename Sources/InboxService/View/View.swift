package import InboxModel
package import Platform

/// A message in a view.
package struct ViewRow: Hashable, Sendable {
    /// Where a view has a message from.
    package enum Origin: Hashable, Sendable {
        case device
        case person
        /// The app's log: a message to everyone.
        case app
    }

    package var position: ListPosition
    package var isUnread: Bool
    /// The person's, if device and person have it.
    package var origin: Origin

    package var message: MessageID { position.message }

    package init(position: ListPosition, isUnread: Bool, origin: Origin) {
        self.position = position
        self.isUnread = isUnread
        self.origin = origin
    }
}

/// What one device sees: its inbox, its person's inbox and the app's live broadcasts, merged as a set by message.
package struct View: Hashable, Sendable {
    /// In list order, each message once.
    package private(set) var rows: [ViewRow] = []
    /// The unread ones among `rows`.
    package private(set) var unreadCount = 0
    /// When the first of `rows` expires: until then and while the state is the same, the view is the same.
    package private(set) var soonestExpiry: Instant?

    /// Merges one snapshot with the app's log, which must reach the snapshot's app revision.
    ///
    /// - Parameter facts: of deliveries' and broadcasts' messages; one without facts does not exist any more.
    /// - Complexity: O(n log n), O(n) where deliveries come in list order and there are no broadcasts.
    package init(_ snapshot: ListSnapshot, log: AppLog, facts: (MessageID) -> MessageFacts?) {
        precondition(log.revision >= snapshot.reader.state.appRevision, "whoever merges reads the log first")
        let marks = Dictionary(snapshot.marks.map { ($0.message, $0) }, uniquingKeysWith: View.joined)
        var entries = View.deliveries(of: snapshot, marks, log: log, facts: facts)
        entries += View.broadcasts(of: snapshot, marks, log: log, facts: facts)
        View.sort(&entries)
        rows.reserveCapacity(entries.count)
        for entry in entries { add(entry) }
    }

    private struct Entry {
        var position: ListPosition
        var expires: Instant
        var isUnread: Bool
        var origin: ViewRow.Origin
    }

    private static func deliveries(
        of snapshot: ListSnapshot, _ marks: [MessageID: BroadcastMark], log: AppLog,
        facts: (MessageID) -> MessageFacts?
    ) -> [Entry] {
        let reader = snapshot.reader
        let person = snapshot.person.map { NameDigest($0) }
        var entries: [Entry] = []
        entries.reserveCapacity(snapshot.deliveries.count)
        for (index, row) in snapshot.deliveries.enumerated() {
            let isPersons = reader.isSession || index >= snapshot.ofDevice
            guard let facts = facts(row.message), facts.isShown(on: reader.deviceTypes, at: reader.now),
                !log.isRecalled(row.message, at: reader.state.appRevision),
                isPersons || reader.filter.shows(facts.target, to: person)
            else { continue }
            let mark = marks.isEmpty ? nil : marks[row.message]
            if mark?.isDeleted ?? false { continue }
            let position = ListPosition(sent: facts.sent, message: row.message)
            entries.append(
                Entry(
                    position: position, expires: facts.expires, isUnread: mark?.isUnread ?? row.isUnread,
                    origin: isPersons ? .person : .device))
        }
        return entries
    }

    private static func broadcasts(
        of snapshot: ListSnapshot, _ marks: [MessageID: BroadcastMark], log: AppLog,
        facts: (MessageID) -> MessageFacts?
    ) -> [Entry] {
        let visible = log.broadcasts(visibleTo: snapshot.reader)
        if visible.isEmpty { return [] }
        let person = snapshot.person.map { NameDigest($0) }
        return visible.compactMap { broadcast in
            let mark = marks[broadcast.message]
            guard !(mark?.isDeleted ?? false), let facts = facts(broadcast.message),
                snapshot.reader.filter.shows(facts.target, to: person)
            else { return nil }
            return Entry(
                position: broadcast.position, expires: broadcast.facts.expires,
                isUnread: mark?.isUnread ?? true, origin: .app)
        }
    }

    /// What device and person say together: deleted by either is deleted; the later mark says whether it is unread,
    /// and of two at the same time the one that says read.
    private static func joined(_ one: BroadcastMark, _ other: BroadcastMark) -> BroadcastMark {
        var joined = one.at >= other.at ? one : other
        joined.isDeleted = one.isDeleted || other.isDeleted
        if one.at == other.at { joined.isUnread = one.isUnread && other.isUnread }
        return joined
    }

    /// Most views come in order already.
    private static func sort(_ entries: inout [Entry]) {
        let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.position <= $1.position }
        if !isSorted { entries.sort { $0.position < $1.position } }
    }

    /// Adds the next entry in order; of two inboxes that hold a message, one that says read is enough.
    private mutating func add(_ entry: Entry) {
        let message = entry.position.message
        if let last = rows.last, last.message == message {
            if last.isUnread, !entry.isUnread {
                rows[rows.count - 1].isUnread = false
                unreadCount -= 1
            }
            if entry.origin == .person { rows[rows.count - 1].origin = .person }
            return
        }
        rows.append(ViewRow(position: entry.position, isUnread: entry.isUnread, origin: entry.origin))
        if entry.isUnread { unreadCount += 1 }
        soonestExpiry = soonestExpiry.map { min($0, entry.expires) } ?? entry.expires
    }
}

extension Holding {
    /// Whether the reader's view holds the message, by the same rules as a list, so that its body may be shown.
    ///
    /// - Parameters:
    ///   - facts: of the message, as far as it exists.
    ///   - log: the app's, which must reach the snapshot's app revision.
    package func isInView(_ message: MessageID, facts: MessageFacts?, log: AppLog) -> Bool {
        let current = reader.state.appRevision
        precondition(log.revision >= current, "whoever asks reads the log first")
        guard isLive, let facts, facts.isShown(on: reader.deviceTypes, at: reader.now) else { return false }
        let isRecalled = log.isRecalled(message, at: current)
        if isDeliveredToPerson, !isRecalled { return true }
        guard reader.filter.shows(facts.target, to: person.map { NameDigest($0) }) else { return false }
        if isDelivered, !isRecalled { return true }
        return !isDeletedBroadcast && log.broadcasts(visibleTo: reader).contains { $0.message == message }
    }
}
