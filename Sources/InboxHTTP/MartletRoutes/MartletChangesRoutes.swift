import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// Most messages, changed and removed together, of one answer.
    static let mostChanges = 1000

    /// `GET /v1/inbox/changes`: what happened since a cursor.
    static func changes(_ shard: isolated Shard, _ call: Call, _ credential: Credential) async throws
        -> Response
    {
        let limit = try call.request.pageLimit("changes_per_page", upTo: mostChanges, or: 500)
        let reader = credential.reader
        let epoch = try await shard.store.epoch
        guard let cursor = try shard.since(call), cursor.outlook(of: reader, epoch: epoch) != .useless else {
            let (view, reader) = try await shard.martletView(of: reader)
            return try await shard.answer(
                Changes(resetTo: view, of: reader, epoch: epoch), unread: view.unreadCount, of: reader)
        }
        if case .current(let same) = cursor.outlook(of: reader, epoch: epoch) {
            return shard.answerUnchanged(same)
        }
        return try await shard.changes(of: reader, since: cursor, epoch: epoch, limit: limit)
    }

    private func changes(
        of reader: Reader, since cursor: Cursor, epoch: UInt64, limit: Int
    ) async throws -> Response {
        guard let snapshot = try await store.changes(for: reader, since: cursor.point) else {
            throw InboxError.unauthorized
        }
        // The snapshot's reader may be in another state by now, and another person's.
        let reader = snapshot.list.reader
        let view = try await view(snapshot.list, in: .martlet)
        switch cursor.outlook(of: reader, epoch: epoch) {
        case .current(let same): return answerUnchanged(same)
        case .useless:
            let changes = Changes(resetTo: view, of: reader, epoch: epoch)
            return try await answer(changes, unread: view.unreadCount, of: reader)
        case .behind:
            let changes = Changes(view, of: reader, touched: snapshot.touched, after: cursor, limit: limit)
            return try await answer(changes, unread: view.unreadCount, of: reader)
        }
    }

    /// The cursor that the client has, if it has one that is ours; clients without one send nothing, or `null`.
    private func since(_ call: Call) throws(InboxError) -> Cursor? {
        guard let text = call.request.queryValues("since").first, !text.isEmpty, text != "null" else {
            return nil
        }
        switch cursors.read(text) {
        case .cursor(let cursor): return cursor
        case .foreign: return nil
        case .unreadable: throw .invalid(field: "since", reason: "must be a cursor that this API answered")
        }
    }

    private func answer(_ changes: Changes, unread: Int, of reader: Reader) async throws -> Response {
        let app = reader.user.app
        try await loadFragments(of: changes.changed.map(\.message), app: app, form: .martlet)
        var body: [UInt8] = []
        body.reserveCapacity(512 + (listedFragments.meanBytes + 32) * changes.changed.count)
        body += #"{"changed":["#.utf8
        append(changes.changed, app: app, form: .martlet, to: &body)
        body += #"],"removed":"#.utf8
        body += JSONWriter.bytes { writer in
            writer.array { list in for message in changes.removed { list.value(message) } }
        }
        end(&body, unread: unread, changes.cursor, more: changes.hasMore, reset: changes.isReset)
        return .privateJSON(body)
    }

    private func answerUnchanged(_ cursor: Cursor) -> Response {
        var body = Array(#"{"changed":[],"removed":[]"#.utf8)
        end(&body, unread: cursor.point.unreadCount, cursor, more: false, reset: false)
        return .privateJSON(body)
    }

    private func end(_ body: inout [UInt8], unread: Int, _ cursor: Cursor, more: Bool, reset: Bool) {
        body += #","unread_count":\#(unread),"cursor":"\#(cursors.text(of: cursor))""#.utf8
        body += #","more":\#(more),"reset":\#(reset)}"#.utf8
    }
}
