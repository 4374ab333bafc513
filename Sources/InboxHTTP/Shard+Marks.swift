import InboxModel
import InboxService

extension Shard {
    /// Marks messages in a reader's inboxes and those of them that are broadcasts; returns when that is durable.
    func apply(_ mark: Mark, to messages: [MessageID], of reader: Reader) async throws {
        if messages.isEmpty { return }
        var messages = messages
        if reader.filter != .off {
            // What the filter hides is not the reader's to mark.
            guard let (view, _) = try await view(of: reader, in: .martlet) else { return }
            let shown = Set(view.rows.map(\.message))
            messages.removeAll { !shown.contains($0) }
        }
        let log = try await log(of: reader.user.app, reaching: reader.state.appRevision, now: reader.now)
        let broadcasts = Set(log.broadcasts(visibleTo: reader).map(\.message)).intersection(messages)
        try await store.mark(
            messages.filter { !broadcasts.contains($0) }, broadcasts: messages.filter(broadcasts.contains),
            of: reader, as: mark, upTo: nil)
    }

    /// Marks all that a reader's view showed at a point of the same inboxes, and shows still.
    func applyToAll(_ mark: Mark, of reader: Reader, upTo point: ViewPoint) async throws {
        guard let (view, reader) = try await view(of: reader, in: .martlet) else { return }
        let log = try await log(of: reader.user.app, reaching: reader.state.appRevision, now: reader.now)
        let known = Set(
            log.broadcasts(visibleTo: reader).filter { $0.revision <= point.state.appRevision }.map(\.message)
        )
        var (messages, broadcasts): ([MessageID], [MessageID]) = ([], [])
        for row in view.rows {
            switch row.origin {
            case .device, .person: messages.append(row.message)
            case .app: if known.contains(row.message) { broadcasts.append(row.message) }
            }
        }
        try await store.mark(messages, broadcasts: broadcasts, of: reader, as: mark, upTo: point.state)
    }
}
