package import InboxModel

extension ReferenceInbox {
    /// What a reader says of messages.
    package enum Mark: String, Sendable, CaseIterable {
        case read, unread, delete
    }

    /// Marks what the reader's view shows among `ids`, in every inbox of the view; everything else changes nothing.
    ///
    /// A broadcast that nobody of the view has marked gets its rows by this.
    package mutating func mark(_ ids: [MessageID], as mark: Mark, by user: UserID) {
        guard let reader = reader(user), let view = view(of: user) else { return }
        let shown = Set(view.map(\.message))
        for id in ids where shown.contains(id) { set(id, to: mark, in: holders(of: id, reader)) }
    }

    /// The inboxes of a view that hold a message, or are to hold a mark of it.
    private func holders(of id: MessageID, _ reader: Reader) -> [Int] {
        guard messages[id]?.broadcastNumber == nil else { return reader.inboxes }
        return reader.inboxes.filter { inboxes[$0]?.rows[id] != nil }
    }

    /// A mark that all holders have already is none.
    private mutating func set(_ id: MessageID, to mark: Mark, in holders: [Int]) {
        guard !holders.allSatisfy({ inboxes[$0]?.rows[id].map { says(mark, $0) } ?? false }) else { return }
        for holder in holders {
            var row = inboxes[holder]?.rows[id] ?? Row()
            switch mark {
            case .read: row.isUnread = false
            case .unread: row.isUnread = true
            case .delete: row.isDeleted = true
            }
            row.markedAt = now
            change(holder) { $0.rows[id] = row }
        }
    }

    private func says(_ mark: Mark, _ row: Row) -> Bool {
        switch mark {
        case .read: !row.isUnread
        case .unread: row.isUnread
        case .delete: row.isDeleted
        }
    }
}
