import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// Cursors, and what happened since.
extension ModelServer {
    /// A cursor of the view as it is.
    mutating func cursor(of user: UserID) -> String { cursor(of: user, at: noticed(view(of: user))) }

    /// A cursor of a user whose copy has these rows; the same for the same.
    private mutating func cursor(of user: UserID, at rows: [ReferenceInbox.Listed]) -> String {
        guard let app = apps[user.app] else { return "" }
        let snapshot = ModelApp.Snapshot(
            user: user, ownership: app.model.ownership(of: user), settings: app.settings, rows: rows)
        let known = app.cursors.firstIndex {
            $0.user == user && $0.rows == rows && owns($0, user) && $0.settings == app.settings
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
        else { return page(user, (rows, []), copy: noticed(rows), isReset: true) }
        let old = Dictionary(uniqueKeysWithValues: since.rows.map { ($0.message, $0) })
        let new = Set(rows.map(\.message))
        let changed = rows.filter { old[$0.message] != noticed([$0])[0] }
        let removed = lapse == .forgetsRemovals ? [] : since.rows.map(\.message).filter { !new.contains($0) }
        let limit = call.query("limit").flatMap { Int($0) } ?? 500
        let shown = Array(changed.prefix(limit))
        let gone = Array(removed.prefix(limit - shown.count))
        var copy = old
        for row in noticed(shown) { copy[row.message] = row }
        for message in gone { copy[message] = nil }
        let isWhole = shown.count + gone.count == changed.count + removed.count
        let kept = isWhole ? noticed(rows) : copy.values.sorted { $0.message.text < $1.message.text }
        return page(user, (shown, gone), copy: kept, isReset: false, hasMore: !isWhole)
    }

    private mutating func page(
        _ user: UserID, _ changes: (changed: [ReferenceInbox.Listed], removed: [MessageID]),
        copy: [ReferenceInbox.Listed], isReset: Bool, hasMore: Bool = false
    ) -> Response {
        let (unread, cursor) = (count(of: user), cursor(of: user, at: copy))
        let (changed, removed) = changes
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
