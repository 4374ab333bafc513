import InboxModel
import InboxService

extension Shard {
    /// Marks messages in a reader's inboxes and those of them that are broadcasts; returns when that is durable.
    func apply(_ mark: Mark, to messages: [MessageID], of reader: Reader) async throws {
        if messages.isEmpty { return }
        var reader = reader
        for _ in 0..<Shard.markTries {
            do {
                return try await applyOnce(mark, to: messages, of: reader)
            } catch is ReaderChanged {
                // As if the login had come first: what the filter shows now is what can be marked.
                guard let now = try await store.credential(of: reader.user) else {
                    throw InboxError.unauthorized
                }
                reader = now.reader
            }
        }
        throw StoreFault.unavailable("who is logged in changed \(Shard.markTries) times during a mark")
    }

    private static let markTries = 3

    private func applyOnce(_ mark: Mark, to messages: [MessageID], of reader: Reader) async throws {
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

    static let foreignPoint = InboxError.conflict(
        reason: "'up_to' is a cursor of another inbox, person or database, or from before the app's settings "
            + "changed; read the inbox again")

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
        do {
            try await store.mark(messages, broadcasts: broadcasts, of: reader, as: mark, upTo: point.state)
        } catch is ReaderChanged {
            throw Shard.foreignPoint
        }
    }
}
