import HTTPCore
import InboxModel
import InboxService

extension Shard {
    /// `DELETE /api/user/messages/{id}`: takes a message back, by either spelling of its id.
    static func deleteMessage(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        try await shard.recall(call.parameters[0], for: caller)
        return .vendor(status: 202)
    }

    /// Takes a message back.
    ///
    /// - Throws: `InboxError.notFound` if it is unknown or another app's, `InboxError.gone` if it is over already.
    func recall(_ id: String, for caller: BackendCaller) async throws {
        guard let message = MessageID(wire: id) else { throw InboxError.notFound(what: "message") }
        switch try await store.recall(message, in: caller.app.app, by: caller.actor) {
        case .recalled: return
        case .recalledBefore: throw InboxError.gone(reason: "the message was recalled already")
        case .expired: throw InboxError.gone(reason: "the message has expired")
        case .unknown: throw InboxError.notFound(what: "message")
        }
    }
}
