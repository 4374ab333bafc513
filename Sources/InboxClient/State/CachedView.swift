package import InboxModel

/// What the server last told of the view of one person on this device, or of nobody.
package struct CachedView: Hashable, Sendable {
    /// In list order, each message once.
    package private(set) var rows: [MessageRow] = []
    /// How far the rows are; nothing if they are to be fetched as a whole.
    package var cursor: String?
    /// What a whole list is asked for with, so that an unchanged one is not sent again.
    package var validator: String?
    /// Whether the server has more of it than is kept: that comes by a whole list only.
    package var isCut = false

    package init() {}

    /// A view of these rows, in any order; of a message that stands there twice the last one counts.
    package init(_ rows: [MessageRow], cursor: String? = nil, validator: String? = nil) {
        self.rows = CachedView.ordered(rows)
        self.cursor = cursor
        self.validator = validator
    }

    package func row(of message: MessageID) -> MessageRow? { rows.first { $0.id == message } }

    /// Applies what changed; again changes nothing.
    package mutating func apply(changed: [MessageRow], removed: [MessageID]) {
        guard !changed.isEmpty || !removed.isEmpty else { return }
        if changed.count == 1, removed.isEmpty { return apply(changed[0]) }
        let gone = Set(removed).union(changed.map(\.id))
        rows = CachedView.ordered(rows.filter { !gone.contains($0.id) } + changed)
    }

    /// Keeps the newest so many of a view that the server just told.
    ///
    /// What is dropped comes back by a whole list only, so that no cursor leads further; what stands for the whole list
    /// still does.
    package mutating func keep(_ most: Int) {
        isCut = rows.count > most
        guard isCut else { return }
        rows.removeLast(rows.count - most)
        cursor = nil
    }

    /// Changes rows where they are.
    package mutating func update(_ change: (inout MessageRow) -> Void) {
        for index in rows.indices { change(&rows[index]) }
    }

    /// Drops the rows that a test holds of.
    package mutating func remove(where isGone: (MessageRow) -> Bool) { rows.removeAll(where: isGone) }

    private mutating func apply(_ row: MessageRow) {
        if let index = rows.firstIndex(where: { $0.id == row.id }) {
            guard rows[index].content.sent != row.content.sent || rows[index].tie != row.tie else {
                rows[index] = row
                return
            }
            rows.remove(at: index)
        }
        let place = rows.firstIndex { MessageRow.precedes(row, $0) } ?? rows.endIndex
        rows.insert(row, at: place)
    }

    private static func ordered(_ rows: [MessageRow]) -> [MessageRow] {
        var isOrdered = true
        for (one, other) in zip(rows, rows.dropFirst())
        where !MessageRow.precedes(one, other) {
            isOrdered = false
        }
        if isOrdered, Set(rows.map(\.id)).count == rows.count { return rows }
        let latest = Dictionary(rows.map { ($0.id, $0) }) { _, last in last }
        return latest.values.sorted(by: MessageRow.precedes)
    }
}

/// The view of a person on this device, or of nobody.
package struct PersonView: Hashable, Sendable {
    package let person: NamedUserID?
    package var view: CachedView

    package init(_ person: NamedUserID?, _ view: CachedView) {
        self.person = person
        self.view = view
    }
}
