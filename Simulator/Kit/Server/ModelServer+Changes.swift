import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// Cursors, and what happened since.
extension ModelServer {
    /// What a client has that applied all pages, and of what it once had it knows that it is gone.
    private typealias Copy = (
        rows: [ReferenceInbox.Listed], gone: Set<MessageID>, marks: [MessageID: Int]
    )

    /// The copy of a client that has all of a view.
    private func whole(_ rows: [ReferenceInbox.Listed], of user: UserID) -> Copy {
        (noticed(rows), gone(without: rows, of: user), apps[user.app]?.marks ?? [:])
    }

    /// What pages told of that a view does not hold.
    private func gone(without rows: [ReferenceInbox.Listed], of user: UserID) -> Set<MessageID> {
        (apps[user.app]?.told[user] ?? []).subtracting(rows.map(\.message))
    }

    /// A cursor of the view as it is.
    mutating func cursor(of user: UserID) -> String {
        cursor(of: user, at: whole(view(of: user), of: user))
    }

    /// A cursor of a user whose copy has these rows; the same for the same.
    private mutating func cursor(of user: UserID, at copy: Copy) -> String {
        guard let app = apps[user.app] else { return "" }
        let snapshot = ModelApp.Snapshot(
            user: user, ownership: app.model.ownership(of: user), settings: app.settings, rows: copy.rows,
            gone: copy.gone, marks: copy.marks)
        let known = app.cursors.firstIndex {
            $0.user == user && $0.rows == copy.rows && $0.gone == copy.gone && $0.marks == copy.marks
                && owns($0, user) && $0.settings == app.settings
        }
        if known == nil { apps[user.app]?.cursors.append(snapshot) }
        return "cursor-\(known ?? app.cursors.count)"
    }

    /// What a cursor stands for; nothing if it is none of the user's.
    func snapshot(_ cursor: String, of user: UserID) -> ModelApp.Snapshot? {
        guard let number = Int(cursor.dropFirst("cursor-".count)), let cursors = apps[user.app]?.cursors,
            cursors.indices.contains(number), cursors[number].user == user
        else { return nil }
        return cursors[number]
    }

    /// Whether a snapshot is of the person and the inboxes that are the user's now.
    func owns(_ snapshot: ModelApp.Snapshot, _ user: UserID) -> Bool {
        snapshot.ownership == apps[user.app]?.model.ownership(of: user)
    }

    /// Rows as a server knows them that does not notice everything.
    private func noticed(_ rows: [ReferenceInbox.Listed]) -> [ReferenceInbox.Listed] {
        guard lapse == .dropsRevision else { return rows }
        return rows.map { row in
            var row = row
            row.isUnread = true
            return row
        }
    }

    mutating func changes(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        let rows = view(of: user)
        guard let cursor = call.query("since"), let since = snapshot(cursor, of: user), owns(since, user),
            since.settings == apps[user.app]?.settings
        else {
            return page(user, (rows, []), copy: whole(rows, of: user), isReset: true)
        }
        let old = Dictionary(uniqueKeysWithValues: since.rows.map { ($0.message, $0) })
        let new = Set(rows.map(\.message))
        // Marked to and fro is a change: a client may show what it marked itself.
        let marks = apps[user.app]?.marks ?? [:]
        let changed = rows.filter {
            old[$0.message] != noticed([$0])[0] || since.marks[$0.message] != marks[$0.message]
        }
        // A page that came since the cursor may be applied again: what it told of is to be taken back too.
        let missing = gone(without: rows, of: user).union(old.keys).subtracting(new).subtracting(since.gone)
        let removed = lapse == .forgetsRemovals ? [] : missing.sorted { $0.text < $1.text }
        let limit = call.query("limit").flatMap { Int($0) } ?? 500
        let shown = Array(changed.prefix(limit))
        let gone = Array(removed.prefix(limit - shown.count))
        if shown.count + gone.count == changed.count + removed.count {
            return page(user, (shown, gone), copy: whole(rows, of: user), isReset: false)
        }
        var (copy, seen) = (old, since.marks)
        for row in noticed(shown) {
            copy[row.message] = row
            seen[row.message] = marks[row.message]
        }
        for message in gone { copy[message] = nil }
        let kept = copy.values.sorted { $0.message.text < $1.message.text }
        return page(
            user, (shown, gone), copy: (kept, since.gone.union(gone), seen), isReset: false, hasMore: true)
    }

    private mutating func page(
        _ user: UserID, _ changes: (changed: [ReferenceInbox.Listed], removed: [MessageID]),
        copy: Copy, isReset: Bool, hasMore: Bool = false
    ) -> Response {
        let (unread, cursor) = (count(of: user), cursor(of: user, at: copy))
        let (changed, removed) = changes
        apps[user.app]?.told[user, default: []].formUnion(changed.map(\.message))
        return .json { answer in
            answer.array("changed") { list in for row in changed { write(row, of: user, to: &list) } }
            answer.member("removed", removed.map(\.text))
            answer.member("unread_count", unread)
            answer.member("cursor", cursor)
            answer.member("more", hasMore)
            answer.member("reset", isReset)
        }
    }
}
