import HTTPCore
import InboxModel
import InboxService

extension Shard {
    /// `DELETE /api/user/messages/{id}`: takes a message back, by either spelling of its id.
    static func deleteMessage(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        try await shard.recall(call.parameters[0], in: app)
        return .vendor(status: 202)
    }

    /// Takes a message back.
    ///
    /// - Throws: `InboxError.notFound` if it is unknown, another app's, expired or taken back before.
    func recall(_ id: String, in app: AppCredentials) async throws {
        guard let message = MessageID(wire: id), try await store.recall(message, in: app.app) else {
            throw InboxError.notFound(what: "message")
        }
    }
}
