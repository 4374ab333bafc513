import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// Installations register, say what changed, and get the token with which they speak for themselves.
    static func channelRoutes(into router: inout Router<Route>) {
        router.add(
            .post, "/api/channels", Route(.device) { shard, call in try await shard.createChannel(call) })
        router.add(
            .put, "/api/channels/{channel}",
            Route(.device) { shard, call in try await shard.updateChannel(call) })
        router.add(
            .put, "/api/channels/sdk/batch/{channel}",
            Route(.device) { shard, call in try await shard.changeChannel(call) })
        router.add(
            .get, "/api/auth/device", Route(.device) { shard, call in try await shard.channelToken(call) })
    }

    private func createChannel(_ call: Call) async throws -> Response {
        let app = try await deviceApp(call).app
        let registration = try RegistrationPayload.registration(
            in: call.request.body, isNew: true, limits: configuration.limits)
        let channel = ChannelID(UUID())
        guard try await store.register(channel, registration, in: app) else {
            throw InboxError.conflict(reason: "the channel exists")
        }
        var response = Response.json(status: 201) { body in
            body.member("ok", true)
            body.member("channel_id", channel.text)
        }
        response.headers.add("Location", "\(call.base)/api/channels/\(channel.text)")
        return response
    }

    /// 409 for a channel that is not known here: the one status at which an SDK makes a new one.
    private func updateChannel(_ call: Call) async throws -> Response {
        let (channel, app) = try await ownChannel(call)
        let registration = try RegistrationPayload.registration(
            in: call.request.body, isNew: false, limits: configuration.limits)
        guard try await store.update(channel, registration, in: app.app) else {
            throw InboxError.conflict(reason: "there is no such channel: register a new one")
        }
        return .json { body in
            body.member("ok", true)
            body.member("channel_id", channel.text)
        }
    }

    /// Tags of a device that its app changes; attributes and lists are taken and not used.
    private func changeChannel(_ call: Call) async throws -> Response {
        let (channel, app) = try await ownChannel(call)
        let body = try JSONField(body: call.request.body)
        if let tags = body.member(unlessNull: "tags") {
            let change = try TagChange(tags, limits: configuration.limits)
            _ = try await store.changeTags(change, ofChannels: [channel], in: app.app)
        }
        return .ok
    }

    /// Given for unknown channels too: only with it an SDK asks whether its channel is known.
    private func channelToken(_ call: Call) async throws -> Response {
        let caller = try await deviceCaller(call)
        let channel = try caller.channel ?? headerChannel(call)
        guard let token = tokens(caller.app).token(for: channel) else { throw InboxError.unauthorized }
        return .json { body in
            body.member("ok", true)
            body.member("token", token)
            body.member("expires_in", Int(DeviceTokens.lifeMilliseconds))
        }
    }

    /// The path's channel, for which the caller must have proof.
    private func ownChannel(_ call: Call) async throws -> (ChannelID, AppCredentials) {
        guard let channel = ChannelID(text: call.parameters[0]) else {
            _ = try await deviceApp(call)
            throw InboxError.conflict(reason: "that is no channel: register a new one")
        }
        return (channel, try await deviceApp(call, for: channel))
    }

    /// The channel that the headers name; what an app's proof is used for.
    func headerChannel(_ call: Call) throws -> ChannelID {
        guard let channel = call.request.headers["x-ua-channel-id"].flatMap({ ChannelID(text: $0) }) else {
            throw WireError.badRequest("X-UA-Channel-ID must be a channel's UUID")
        }
        return channel
    }
}
