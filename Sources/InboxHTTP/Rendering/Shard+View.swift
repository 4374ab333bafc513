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
    /// The bytes that stand for a state, rendered in a form.
    func validator(of state: ViewState, in form: ListForm) async throws -> [UInt8] {
        state.validator(epoch: try await store.epoch, rendering: form.rendering)
    }

    /// The view of a reader now, with the fragments of all its messages in the cache until the next suspension.
    ///
    /// - Returns: nothing if the user is gone.
    func view(of reader: Reader, in form: ListForm) async throws -> (view: View, reader: Reader)? {
        guard let snapshot = try await store.list(for: reader) else { return nil }
        return (try await view(snapshot, in: form), snapshot.reader)
    }

    /// The view of a snapshot, with the fragments of all its messages in the cache until the next suspension.
    func view(_ snapshot: ListSnapshot, in form: ListForm) async throws -> View {
        let reader = snapshot.reader
        let app = reader.user.app
        let log = try await log(of: app, reaching: reader.state.appRevision, now: reader.now)
        // Most often all fragments are there, which is found out by merging.
        let (view, isWhole) = merged(snapshot, log, in: form)
        if isWhole { return view }
        let messages =
            snapshot.deliveries.map(\.message) + log.broadcasts(visibleTo: reader).map(\.message)
        try await loadFragments(of: messages, app: app, form: form)
        return merged(snapshot, log, in: form).view
    }

    /// The view of a snapshot, and whether the fragment of each of its messages was there.
    private func merged(
        _ snapshot: ListSnapshot, _ log: AppLog, in form: ListForm
    ) -> (view: View, isWhole: Bool) {
        var isWhole = true
        let view = View(snapshot, log: log) { message in
            let facts = facts(of: message, app: snapshot.reader.user.app, form: form)
            if facts == nil { isWhole = false }
            return facts
        }
        return (view, isWhole)
    }

    /// The list of the device API, rendered; kept for whoever asks in the same state.
    ///
    /// - Returns: nothing if the user is gone.
    func renderedView(of reader: Reader, at place: PublicBase) async throws -> RenderedView? {
        let form = ListForm.device(place)
        // Before the view is read: what is named after an epoch that ends meanwhile is good for nothing, and no harm.
        let epoch = try await store.epoch
        guard let (view, reader) = try await view(of: reader, in: form) else { return nil }
        let body = listBody(of: view, app: reader.user.app, form: form)
        let rendered = RenderedView(
            validator: reader.state.validator(epoch: epoch, rendering: form.rendering),
            soonestExpiry: view.soonestExpiry, body: body)
        views.insert(rendered, for: reader.state.device, cost: body.count)
        return rendered
    }

    private func listBody(of view: View, app: AppID, form: ListForm) -> [UInt8] {
        var bytes: [UInt8] = []
        // A little more than it will be: the bytes are kept.
        bytes.reserveCapacity(256 + (fragments.meanBytes + 16) * view.rows.count)
        bytes += "{\"ok\":true,\"badge\":\(view.unreadCount),\"messages\":[".utf8
        append(view.rows, app: app, form: form, to: &bytes)
        bytes += "]}".utf8
        return bytes
    }

    /// Appends messages of a view, with commas between them, right after it was made.
    func append(_ rows: some Sequence<ViewRow>, app: AppID, form: ListForm, to bytes: inout [UInt8]) {
        var isFirst = true
        for row in rows {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            let key = FragmentKey(app: app, message: row.message, form: form)
            switch form {
            case .device: fragments.append(key, to: &bytes)
            case .martlet: listedFragments.append(key, to: &bytes)
            }
            form.appendEnd(of: row, to: &bytes)
        }
    }

    /// What is known of a message whose fragment is in the cache.
    func facts(of message: MessageID, app: AppID, form: ListForm) -> MessageFacts? {
        let key = FragmentKey(app: app, message: message, form: form)
        return switch form {
        case .device: fragments.facts(key)
        case .martlet: listedFragments.facts(key)
        }
    }

    /// Sees to it that the fragments of all messages that exist are in the cache until the next suspension.
    func loadFragments(of messages: [MessageID], app: AppID, form: ListForm) async throws {
        let missing = Set(messages.filter { facts(of: $0, app: app, form: form) == nil })
        if missing.isEmpty { return }
        keep(try await store.heads(of: Array(missing), in: app), app: app, form: form)
        // While it waited others may have pushed some out; then all are read at once, which stay together.
        let isWhole = messages.allSatisfy {
            missing.contains($0) || facts(of: $0, app: app, form: form) != nil
        }
        if isWhole { return }
        keep(try await store.heads(of: messages, in: app), app: app, form: form)
    }

    private func keep(_ heads: [MessageHead], app: AppID, form: ListForm) {
        switch form {
        case .device: fragments.add(heads, app: app, form: form)
        case .martlet: listedFragments.add(heads, app: app, form: form)
        }
    }
}
