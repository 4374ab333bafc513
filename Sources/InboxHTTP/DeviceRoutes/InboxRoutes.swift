import HTTPCore
import InboxModel
import InboxService
import Platform

extension Shard {
    /// The list and what is done to several of its messages.
    static func inboxRoutes(into router: inout Router<Route>) {
        router.add(
            .get, "/api/user/{user}/messages", Route(.device) { shard, call in try await shard.list(call) })
        // The path's word is the SDKs'; what it does is to mark as read.
        router.add(
            .post, "/api/user/{user}/messages/unread",
            Route(.device) { shard, call in try await shard.mark(call, as: .read) })
        router.add(
            .post, "/api/user/{user}/messages/delete",
            Route(.device) { shard, call in try await shard.mark(call, as: .delete) })
    }

    /// The whole view, or 304: the one look-up that proved the caller has also proved the view.
    private func list(_ call: Call) async throws -> Response {
        let credential = try await user(call, named: call.parameters[0])
        let reader = credential.reader
        let current = try await validator(of: reader.state, in: .device(call.place))
        let since = call.request.headers["if-modified-since"]
        if let stored = credential.stored, stored.isCurrent(current, at: reader.now),
            since.map(stored.isDate) ?? false
        {
            return Response(status: 304)
        }
        if let recent = views.value(for: reader.state.device), recent.isCurrent(current, at: reader.now) {
            return try await answer(recent, to: credential, since: since)
        }
        guard let fresh = try await renderedView(of: reader, at: call.place) else {
            throw InboxError.unauthorized
        }
        return try await answer(fresh, to: credential, since: since)
    }

    /// The list with the date under which it is stored; stored first, unless it is so already.
    private func answer(_ view: RenderedView, to credential: Credential, since: String?) async throws
        -> Response
    {
        let date: Int64
        if let stored = credential.stored, stored.state == view.validator,
            stored.soonestExpiry == view.soonestExpiry
        {
            date = stored.date
        } else {
            let saved = try await store.saveValidator(
                (view.validator, view.soonestExpiry), of: credential.reader.user,
                received: since.flatMap(HTTPDate.parse))
            guard let saved else { throw InboxError.unauthorized }
            date = saved
        }
        // Exactly once and spelled so: some clients compare the name byte by byte.
        let headers: Headers = ["Content-Type": "application/json", "Last-Modified": HTTPDate.text(date)]
        return Response(status: 200, headers: headers, body: view.body)
    }

    /// Marks what a batch names: always 200 for a JSON body with a `messages` array, else clients repeat it for ever.
    private func mark(_ call: Call, as mark: Mark) async throws -> Response {
        let credential = try await user(call, named: call.parameters[0])
        let messages = try MessageBatch.messages(in: call.request.body, limits: configuration.limits)
        try await apply(mark, to: messages, of: credential.reader)
        return .ok
    }
}

extension StoredValidator {
    /// Whether the list that it stands for is the one that would be made now.
    fileprivate func isCurrent(_ validator: [UInt8], at now: Instant) -> Bool {
        state == validator && soonestExpiry.map { now < $0 } ?? true
    }

    /// Whether a client's `If-Modified-Since` is this date; older clients write it in their own way.
    fileprivate func isDate(_ text: String) -> Bool {
        text == HTTPDate.text(date) || HTTPDate.parse(text) == date
    }
}
