package import InboxModel
package import Platform

/// What an inbox shows: messages in list order, and how many of them are unread.
package struct Shown: Hashable, Sendable {
    package var rows: [MessageRow] = []

    package init(_ rows: [MessageRow] = []) { self.rows = rows }

    /// What has expired counts no more, also where it is shown.
    package var unreadCount: Int { rows.reduce(0) { $0 + ($1.isUnread && !$1.hasExpired ? 1 : 0) } }
    package var messages: [InboxMessage] { rows.map(InboxMessage.init) }

    package func row(of message: MessageID) -> MessageRow? { rows.first { $0.id == message } }
}

extension StoredInbox {
    /// What is shown of the view of whoever is logged in here: as the server told it, with what was done here since.
    package func shown(_ options: SyncOptions, at now: Instant) -> Shown {
        let person = outbox.login.person
        guard let view = view(of: person) else { return Shown() }
        let pending = PendingMarks(outbox, of: person)
        return Shown(
            view.rows.compactMap { row in
                let hasExpired = row.content.hasExpired(at: now)
                guard !hasExpired || options.keepsExpired, options.filter.shows(row, to: person),
                    var shown = pending.marked(row)
                else { return nil }
                (shown.hasExpired, shown.tie) = (hasExpired, 0)
                return options.predicate.map { $0(InboxMessage(shown)) } ?? true ? shown : nil
            })
    }
}

/// What the marks that wait make of rows.
private struct PendingMarks {
    private var own: [MessageID: Sum] = [:]
    private var all: [MessageID: Sum] = [:]

    private struct Sum {
        var isUnread: Bool?
        var isDeleted = false

        mutating func add(_ mark: MessageMark) {
            switch mark {
            case .read: isUnread = false
            case .unread: isUnread = true
            case .delete: isDeleted = true
            }
        }
    }

    /// The marks of an outbox, as far as they concern a person's view.
    init(_ outbox: Outbox, of person: NamedUserID?) {
        for stretch in outbox.stretches {
            for mark in stretch.marks {
                all[mark.message, default: Sum()].add(mark.mark)
                if stretch.login.person == person { own[mark.message, default: Sum()].add(mark.mark) }
            }
        }
    }

    /// The row with the marks that were made of it; nothing if it was deleted.
    ///
    /// What others marked while they were logged in here counts for what lies on the device, not for a person's own.
    func marked(_ row: MessageRow) -> MessageRow? {
        guard !all.isEmpty, let sum = row.place == .person ? own[row.id] : all[row.id] else { return row }
        guard !sum.isDeleted else { return nil }
        var row = row
        row.isUnread = sum.isUnread ?? row.isUnread
        return row
    }
}
