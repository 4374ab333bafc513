import InboxModel
import InboxService
import Platform

/// A list as it was last rendered for an inbox, and what it was made of.
struct RenderedView: Sendable {
    /// The state's validator.
    var validator: [UInt8]
    var soonestExpiry: Instant?
    var body: [UInt8]

    /// Whether it is what would be rendered now.
    func isCurrent(_ validator: [UInt8], at now: Instant) -> Bool {
        self.validator == validator && soonestExpiry.map { now < $0 } ?? true
    }
}

extension Shard {
    /// The bytes that stand for a state, rendered for a place.
    func validator(of state: ViewState, at place: PublicBase) async throws -> [UInt8] {
        state.validator(epoch: try await store.epoch, rendering: place.hash &+ MessageFragment.version)
    }

    /// The view of a reader now, with the fragments of all its messages in the cache until the next suspension.
    ///
    /// - Returns: nothing if the user is gone.
    func view(of reader: Reader, at place: PublicBase) async throws -> (view: View, reader: Reader)? {
        guard let snapshot = try await store.list(for: reader) else { return nil }
        let reader = snapshot.reader
        let app = reader.user.app
        let log = try await log(of: app, reaching: reader.state.appRevision, now: reader.now)
        // Most often all fragments are there, which is found out by merging.
        let (view, isWhole) = merged(snapshot, log, at: place)
        if isWhole { return (view, reader) }
        let messages =
            snapshot.deliveries.map(\.message) + log.broadcasts(visibleTo: reader).map(\.message)
        try await loadFragments(of: messages, app: app, place: place)
        return (merged(snapshot, log, at: place).view, reader)
    }

    /// The view of a snapshot, and whether the fragment of each of its messages was there.
    private func merged(
        _ snapshot: ListSnapshot, _ log: AppLog, at place: PublicBase
    ) -> (view: View, isWhole: Bool) {
        var isWhole = true
        let view = View(snapshot, log: log) { message in
            let key = FragmentKey(app: snapshot.reader.user.app, message: message, place: place.hash)
            let facts = fragments.facts(key)
            if facts == nil { isWhole = false }
            return facts
        }
        return (view, isWhole)
    }

    /// The list of the device API, rendered; kept for whoever asks in the same state.
    ///
    /// - Returns: nothing if the user is gone.
    func renderedView(of reader: Reader, at place: PublicBase) async throws -> RenderedView? {
        guard let (view, reader) = try await view(of: reader, at: place) else { return nil }
        // Before the suspension below: fragments are there until then.
        let body = listBody(of: view, app: reader.user.app, place: place)
        let rendered = RenderedView(
            validator: try await validator(of: reader.state, at: place), soonestExpiry: view.soonestExpiry,
            body: body)
        views.insert(rendered, for: reader.state.device, cost: body.count)
        return rendered
    }

    private func listBody(of view: View, app: AppID, place: PublicBase) -> [UInt8] {
        var bytes: [UInt8] = []
        // A little more than it will be: the bytes are kept.
        bytes.reserveCapacity(256 + (fragments.meanBytes + 16) * view.rows.count)
        bytes += "{\"ok\":true,\"badge\":\(view.unreadCount),\"messages\":[".utf8
        for (index, row) in view.rows.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(row, app: app, place: place, to: &bytes)
        }
        bytes += "]}".utf8
        return bytes
    }

    /// Appends one message of a view, right after it was made.
    func append(_ row: ViewRow, app: AppID, place: PublicBase, to bytes: inout [UInt8]) {
        fragments.append(FragmentKey(app: app, message: row.message, place: place.hash), to: &bytes)
        bytes += row.isUnread ? "true}".utf8 : "false}".utf8
    }

    /// An app's log, read as far as `revision`, which a look-up has shown.
    func log(of app: AppID, reaching revision: Revision, now: Instant) async throws -> AppLog {
        let known = logs.value(for: app) ?? AppLog()
        if known.revision >= revision { return known }
        let entries = try await store.log(of: app, after: known.revision)
        // Another request may have read further meanwhile; one that knows less would leave a gap.
        var log = logs.value(for: app) ?? known
        if log.revision < known.revision { log = known }
        log.append(entries, reached: revision, now: now)
        logs.insert(log, for: app, cost: 1)
        return log
    }

    /// Sees to it that the fragments of all messages that exist are in the cache until the next suspension.
    func loadFragments(of messages: [MessageID], app: AppID, place: PublicBase) async throws {
        let missing = Set(messages.filter { !hasFragment(of: $0, app: app, place: place) })
        if missing.isEmpty { return }
        fragments.add(try await store.heads(of: Array(missing), in: app), app: app, place: place)
        // While it waited others may have pushed some out; then all are read at once, which stay together.
        let isWhole = messages.allSatisfy {
            missing.contains($0) || hasFragment(of: $0, app: app, place: place)
        }
        if isWhole { return }
        fragments.add(try await store.heads(of: messages, in: app), app: app, place: place)
    }

    private func hasFragment(of message: MessageID, app: AppID, place: PublicBase) -> Bool {
        fragments.facts(FragmentKey(app: app, message: message, place: place.hash)) != nil
    }
}
