import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform

extension Shard {
    /// `GET /v1/inbox`: the one look-up that proved the caller has also proved the view.
    static func inbox(_ shard: isolated Shard, _ call: Call, _ credential: Credential) async throws
        -> Response
    {
        let query = try InboxQuery(call.request)
        let reader = credential.reader
        let digest = try await shard.inboxDigest(of: reader, query)
        if let held = call.request.entityTags.lazy.compactMap({ InboxTag(text: $0) })
            .first(where: { $0.isCurrent(digest, at: reader.now) })
        {
            return .unchangedInbox(held)
        }
        if query.isPlain, let recent = shard.inboxes.value(for: reader.state.device),
            recent.tag.isCurrent(digest, at: reader.now)
        {
            return .inbox(recent)
        }
        return .inbox(try await shard.renderedInbox(of: reader, query))
    }

    /// `GET /v1/inbox/unread-count`: the count that the list with the same filters would have.
    static func unreadCount(
        _ shard: isolated Shard, _ call: Call, _ credential: Credential
    ) async throws -> Response {
        let query = try InboxQuery(call.request)
        let reader = credential.reader
        let count: Int
        let digest = try await shard.inboxDigest(of: reader, InboxQuery())
        if query.extra.isEmpty, let recent = shard.inboxes.value(for: reader.state.device),
            recent.tag.isCurrent(digest, at: reader.now)
        {
            count = recent.point.unreadCount
        } else {
            let view = try await shard.martletView(of: reader).view
            count = try await shard.rows(of: view, query, app: reader.user.app).count { $0.isUnread }
        }
        return .privateJSON(JSONWriter.bytes { $0.object { $0.member("unread_count", count) } })
    }

    /// The view in the form of `/v1`; whoever asks has been proved, so that no view means that the user has just gone.
    func martletView(of reader: Reader) async throws -> (view: View, reader: Reader) {
        guard let found = try await view(of: reader, in: .martlet) else { throw InboxError.unauthorized }
        return found
    }

    /// The rows that a query's filters let through, in list order.
    func rows(of view: View, _ query: InboxQuery, app: AppID) async throws -> [ViewRow] {
        guard !query.extra.isEmpty else { return view.rows }
        let matching = Set(
            try await store.messages(among: view.rows.map(\.message), withExtra: query.extra, in: app))
        return view.rows.filter { matching.contains($0.message) }
    }

    /// Reads the view and renders what a query asks for.
    func renderedInbox(of reader: Reader, _ query: InboxQuery) async throws -> RenderedInbox {
        // Before the view is read: what is named after an epoch that ends meanwhile is good for nothing, and no harm.
        let epoch = try await store.epoch
        let (view, reader) = try await martletView(of: reader)
        return try await rendered(view, of: reader, query, in: epoch)
    }

    /// Renders what a query asks for of a view that was read for `reader`, and keeps it if it is the whole.
    ///
    /// - Parameter epoch: asked for before the view was read.
    func rendered(
        _ view: View, of reader: Reader, _ query: InboxQuery, in epoch: UInt64
    ) async throws -> RenderedInbox {
        let app = reader.user.app
        let matching = try await rows(of: view, query, app: app)
        let page = InboxPage(matching, query)
        let point = ViewPoint(view, of: reader)
        let cursor = cursors.text(of: Cursor(epoch: epoch, app: app, point: point))
        let digest = inboxDigest(of: reader, query, in: epoch)
        // Again, for the waits above: from here on nothing suspends.
        try await loadFragments(of: page.rows.map(\.message), app: app, form: .martlet)
        var body: [UInt8] = []
        body.reserveCapacity(512 + (listedFragments.meanBytes + 32) * page.rows.count)
        body += #"{"messages":["#.utf8
        append(page.rows, app: app, form: .martlet, to: &body)
        body += #"],"unread_count":\#(page.unreadCount),"cursor":"\#(cursor)","next":"#.utf8
        body += (page.next.map { "\"\($0.text)\"}" } ?? "null}").utf8
        let tag = InboxTag(digest: digest, time: reader.now, soonestExpiry: view.soonestExpiry)
        let rendered = RenderedInbox(point: point, tag: tag, body: body)
        if query.isPlain { inboxes.insert(rendered, for: reader.state.device, cost: body.count) }
        return rendered
    }

    private func inboxDigest(of reader: Reader, _ query: InboxQuery) async throws -> [UInt8] {
        inboxDigest(of: reader, query, in: try await store.epoch)
    }

    private func inboxDigest(of reader: Reader, _ query: InboxQuery, in epoch: UInt64) -> [UInt8] {
        let validator = reader.state.validator(epoch: epoch, rendering: ListForm.martlet.rendering)
        return InboxTag.digest(validator, types: reader.deviceTypes, query: query.text)
    }
}

/// What of an inbox one answer holds.
struct InboxPage {
    let rows: ArraySlice<ViewRow>
    /// Of all that match, on this page or not.
    let unreadCount: Int
    /// Where the next page begins; nothing if this is the last.
    let next: ListPosition?

    init(_ matching: [ViewRow], _ query: InboxQuery) {
        unreadCount = matching.count { $0.isUnread }
        let wanted = query.onlyUnread ? matching.filter(\.isUnread) : matching
        let start = query.before.map { before in
            wanted.firstIndex { before < $0.position } ?? wanted.endIndex
        }
        let behind = wanted[(start ?? 0)...]
        rows = query.limit.map { behind.prefix($0) } ?? behind
        next = rows.count < behind.count ? rows.last?.position : nil
    }
}

extension Response {
    /// JSON of one reader, which may be kept but is asked for each time.
    static func privateJSON(_ body: [UInt8], status: Int = 200) -> Response {
        var response = Response.json(body, status: status)
        response.headers.add("Cache-Control", "private, no-cache")
        response.headers.add("Vary", "Authorization")
        return response
    }

    fileprivate static func inbox(_ rendered: RenderedInbox) -> Response {
        var response = privateJSON(rendered.body)
        response.headers.add("ETag", rendered.tag.text)
        return response
    }

    fileprivate static func unchangedInbox(_ tag: InboxTag) -> Response {
        Response(
            status: 304,
            headers: [
                "ETag": tag.text, "Cache-Control": "private, no-cache", "Vary": "Authorization",
            ])
    }
}
