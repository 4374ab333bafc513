import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `POST /api/push`: sends one push or an array of them, all or nothing.
    static func push(_ shard: isolated Shard, _ call: Call, _ caller: BackendCaller) async throws -> Response
    {
        let app = caller.app
        let request = try call.repeatable(as: "POST /api/push")
        if let answer = try await shard.firstAnswer(to: request, in: app) { return answer }
        let pushes = try PushRequest.parse(
            try call.plainBody(), limits: shard.configuration.limits, now: app.now)
        let ids = pushes.map { _ in MessageID(pushID: UUID()) }
        let sends = zip(ids, pushes).compactMap { id, push in
            push.draft.map { draft in
                Send(
                    message: id, draft: draft, audience: push.audience, deviceTypes: push.deviceTypes,
                    pushJSON: push.json)
            }
        }
        var receipt = SendReceipt(operation: UUID().uuidString.lowercased(), pushes: [])
        // Before the send: what fails here must not have sent anything.
        for (id, push) in zip(ids, pushes) {
            let unknown =
                push.draft == nil
                ? try await shard.store.reach(push.audience, push.deviceTypes, for: app).unknown : []
            receipt.pushes.append(
                SendReceipt.Push(
                    id, hasMessage: push.draft != nil, unknown: unknown, warnings: push.warnings))
        }
        return try await shard.send(sends, as: receipt, under: request, for: caller)
    }

    /// `POST /api/push/validate`: the same rules, and nothing is sent.
    static func validatePush(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let limits = shard.configuration.limits
        _ = try PushRequest.parse(try call.plainBody(), limits: limits, now: app.now)
        return .vendor()
    }
}
