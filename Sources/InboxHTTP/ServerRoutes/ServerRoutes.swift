import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// What a backend calls with the master secret, or with a token that has the scope.
    static func serverRoutes(into router: inout Router<Route>) {
        let routes: [(Method, String, TokenScope, BackendHandler)] = [
            (.post, "/api/push", .send, push),
            (.post, "/api/push/validate", .send, validatePush),
            (.delete, "/api/user/messages/{message}", .send, deleteMessage),
            (.post, "/api/schedules", .send, createSchedules),
            (.get, "/api/schedules", .read, listSchedules),
            (.get, "/api/schedules/{schedule}", .read, showSchedule),
            (.put, "/api/schedules/{schedule}", .send, replaceSchedule),
            (.delete, "/api/schedules/{schedule}", .send, deleteSchedule),
            (.get, "/api/channels/{channel}", .read, lookUpChannel),
            (.post, "/api/channels/tags", .send, tagChannels),
            (.get, "/api/named_users", .read, lookUpNamedUser),
            (.post, "/api/named_users/tags", .send, tagNamedUsers),
        ]
        for (method, pattern, scope, handler) in routes {
            router.add(
                method, pattern,
                Route(.server) { shard, call in
                    let caller = try await shard.backend(call, scope)
                    try AcceptedVersion.check(call.request)
                    return try await handler(shard, call, caller)
                })
        }
    }

    /// A handler of a caller that has proved to be the app's backend.
    typealias BackendHandler = @Sendable (isolated Shard, Call, BackendCaller) async throws -> Response
}

extension Call {
    /// The body, unless it is compressed.
    ///
    /// `Content-Encoding` is not believed: a published client repeats it on later requests, whose bodies are plain.
    func plainBody() throws -> [UInt8] {
        guard !request.body.starts(with: [0x1F, 0x8B]) else {
            throw WireError.unsupportedMediaType("compressed bodies are not supported; send plain JSON")
        }
        return request.body
    }
}

extension Response {
    /// A JSON object with `"ok":true` in front, as the server API answers.
    static func vendor(status: Int = 200, _ content: (inout JSONWriter) -> Void = { _ in }) -> Response {
        let body = JSONWriter.bytes { writer in
            writer.object { body in
                body.member("ok", true)
                content(&body)
            }
        }
        return Response(status: status, headers: ["Content-Type": WireError.vendorMediaType], body: body)
    }
}
