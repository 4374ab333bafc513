import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `GET /api/channels/{id}`.
    static func lookUpChannel(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        guard let channel = ChannelID(text: call.parameters[0]),
            let record = try await shard.store.channel(channel, in: app.app)
        else { throw InboxError.notFound(what: "channel") }
        return .vendor { body in
            body.name("channel")
            body.value(record)
        }
    }

    /// `POST /api/channels/tags`.
    static func tagChannels(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let request = try TagRequest(channels: try call.plainBody(), limits: shard.configuration.limits)
        let unknown = try await shard.store.changeTags(
            request.change, ofChannels: request.targets, in: app.app)
        return .tagged(unknown: unknown.map { "channel:\($0.text)" })
    }
}
