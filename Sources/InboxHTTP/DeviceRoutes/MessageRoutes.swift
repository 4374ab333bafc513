import HTTPCore
import InboxModel
import InboxService

/// Whose body it is: the id alone would let one app's cache answer another's.
struct BodyKey: Hashable {
    var app: AppID
    var message: MessageID
}

extension Shard {
    /// Single messages, with and without the user in the path: lists carry the form without, shared by all readers.
    static func messageRoutes(into router: inout Router<Route>) {
        for prefix in ["/api/user/messages/message/{message}", "/api/user/{user}/messages/message/{message}"]
        {
            router.add(.get, prefix, Route(.device) { shard, call in try await shard.message(call) })
            router.add(.get, prefix + "/body", Route(.device) { shard, call in try await shard.body(call) })
            for method in [Method.post, .put] {
                router.add(
                    method, prefix + "/read",
                    Route(.device) { shard, call in try await shard.mark(one: call, as: .read) })
            }
            router.add(
                .delete, prefix,
                Route(.device) { shard, call in try await shard.mark(one: call, as: .delete) })
        }
    }

    /// One message as the list shows it.
    private func message(_ call: Call) async throws -> Response {
        let (credential, id) = try await readerAndMessage(call)
        guard let (view, reader) = try await view(of: credential.reader, in: .device(call.place)) else {
            throw InboxError.unauthorized
        }
        guard let row = view.rows.first(where: { $0.message == id }) else {
            throw InboxError.notFound(what: "message")
        }
        var bytes: [UInt8] = []
        append([row], app: reader.user.app, form: .device(call.place), to: &bytes)
        return .json(bytes)
    }

    /// A body, only to whose list shows the message now.
    private func body(_ call: Call) async throws -> Response {
        let (credential, id) = try await readerAndMessage(call)
        guard let id, let body = try await body(of: id, for: credential.reader) else {
            return gone(call)
        }
        return answer(body, of: id, to: call, by: credential.reader)
    }

    /// A body for a reader that may have it; the first time counts as fetched.
    func answer(_ body: MessageBody, of id: MessageID, to call: Call, by reader: Reader) -> Response {
        let response = Response.body(body, of: id, to: call.request)
        if response.status == 200 {
            note(Fetch(app: reader.user.app, message: id, inbox: reader.state.device))
        }
        return response
    }

    /// The body of a message that the reader's view holds.
    func body(of id: MessageID, for reader: Reader) async throws -> MessageBody? {
        let app = reader.user.app
        guard let holding = try await store.holding(of: id, by: reader) else { throw InboxError.unauthorized }
        guard holding.isLive else { return nil }
        let current = holding.reader
        let log = try await log(of: app, reaching: current.state.appRevision, now: current.now)
        try await loadFragments(of: [id], app: app, form: .martlet)
        let facts = facts(of: id, app: app, form: .martlet)
        guard holding.isInView(id, facts: facts, log: log) else { return nil }
        let key = BodyKey(app: app, message: id)
        if let body = bodies.value(for: key) { return body }
        guard let body = try await store.body(of: id, in: app) else { return nil }
        bodies.insert(body, for: key, cost: body.bytes.count)
        return body
    }

    private func mark(one call: Call, as mark: Mark) async throws -> Response {
        let (credential, id) = try await readerAndMessage(call)
        if let id { try await apply(mark, to: [id], of: credential.reader) }
        return .ok
    }

    /// The caller, who must be the path's user if it names one, and the path's message if it is spelled like one.
    private func readerAndMessage(_ call: Call) async throws -> (Credential, MessageID?) {
        let name = call.parameters.count == 2 ? call.parameters[0] : nil
        return (
            try await user(call, named: name), MessageID(wire: call.parameters[call.parameters.count - 1])
        )
    }

    /// 404: apps show whatever page comes with it, so a browser gets one that people can read.
    private func gone(_ call: Call) -> Response {
        guard call.request.headers["accept"]?.contains("text/html") ?? false else {
            return failure(InboxError.notFound(what: "message"), on: .device)
        }
        let headers: Headers = [
            "Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-cache", "Vary": "Authorization",
        ]
        return Response(status: 404, headers: headers, body: Array(MediaType.gonePage.utf8))
    }
}

extension Response {
    /// A body as it is shown to a reader, or 304 to whoever has it.
    static func body(_ body: MessageBody, of id: MessageID, to request: Request) -> Response {
        // A message never changes, so its id names its content.
        let tag = "\"\(id.text)\""
        var response = Response(
            status: 200,
            headers: [
                "Content-Type": MediaType.withCharset(body.contentType), "X-Content-Type-Options": "nosniff",
                // Kept by the phone, but asked for each time: a recall counts at once.
                "Cache-Control": "private, no-cache", "Vary": "Authorization", "ETag": tag,
            ], body: body.bytes)
        if request.holds(tag) { (response.status, response.body) = (304, []) }
        return response
    }
}

/// What a web view needs to show a body right.
enum MediaType {
    /// The type of a body with its charset, for text that says none: bodies are kept in UTF-8.
    static func withCharset(_ contentType: String) -> String {
        let lower = contentType.lowercased()
        let isText = lower.hasPrefix("text/html") || lower.hasPrefix("text/plain")
        return isText && !lower.contains("charset") ? contentType + "; charset=utf-8" : contentType
    }

    static let gonePage = """
        <!doctype html><html lang="en"><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Message not available</title>
        <body style="font: 1rem system-ui, sans-serif; margin: 2rem; text-align: center">
        <p>This message is no longer available.</p></body></html>

        """
}
