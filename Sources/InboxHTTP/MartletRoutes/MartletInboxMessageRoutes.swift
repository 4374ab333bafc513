import HTTPCore
import InboxModel
import InboxService

extension Shard {
    /// `GET /v1/inbox/messages/{id}`: one message as the inbox lists it.
    static func inboxMessage(
        _ shard: isolated Shard, _ call: Call, _ credential: Credential
    ) async throws -> Response {
        let (view, reader) = try await shard.martletView(of: credential.reader)
        guard let id = MessageID(wire: call.parameters[0]),
            let row = view.rows.first(where: { $0.message == id })
        else { throw InboxError.notFound(what: "message") }
        var body: [UInt8] = []
        shard.append([row], app: reader.user.app, form: .martlet, to: &body)
        return .privateJSON(body)
    }

    /// `GET /v1/inbox/messages/{id}/body`: only to whose view holds the message now.
    static func inboxMessageBody(
        _ shard: isolated Shard, _ call: Call, _ credential: Credential
    ) async throws -> Response {
        guard let id = MessageID(wire: call.parameters[0]),
            let body = try await shard.body(of: id, for: credential.reader)
        else { throw InboxError.notFound(what: "message") }
        var response = shard.answer(body, of: id, to: call, by: credential.reader)
        if credential.reader.isSession {
            // In a browser a body would else run as a page of this origin.
            response.headers.add("Content-Security-Policy", "sandbox allow-scripts")
        }
        return response
    }
}
