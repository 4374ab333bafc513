import Crypto
import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `PUT /v1/channels/{channel}`: registers an installation under an id and a password that it made.
    static func registerChannel(
        _ shard: isolated Shard, _ call: Call, _ caller: DeviceCaller
    ) async throws -> Response {
        guard let channel = ChannelID(text: call.parameters[0]) else {
            throw InboxError.invalid(field: "channel", reason: "the path must name a UUID")
        }
        guard caller.channel == nil || caller.channel == channel else { throw InboxError.unauthorized }
        let request = try ChannelRequest(try call.plainBody(), limits: shard.configuration.limits)
        return try await shard.register(channel, request, in: caller.app.app)
    }

    private func register(
        _ channel: ChannelID, _ request: ChannelRequest, in app: AppID
    ) async throws -> Response {
        let fresh = UserID(app: app, key: Int64(bitPattern: RandomBytes.uint64()))
        let isMade = try await store.register(
            channel, request.registration, for: fresh, passwordDigest: request.passwordDigest)
        let user = isMade ? fresh : try await known(channel, request, in: app)
        // Tags of a new channel too: they are written once it is sure whose channel it is.
        if !isMade || request.registration.tags != nil {
            guard try await store.update(channel, request.registration, in: app) else {
                throw InboxError.conflict(reason: "the channel has just been removed")
            }
        }
        return .json(status: isMade ? 201 : 200) { body in
            body.member("channel_id", channel.text)
            body.member("user_id", user.text)
        }
    }

    /// The user of a channel that was registered before, if the password is the user's.
    private func known(
        _ channel: ChannelID, _ request: ChannelRequest, in app: AppID
    ) async throws -> UserID {
        guard let user = try await store.user(of: channel, in: app),
            let credential = try await store.credential(of: user),
            constantTimeEquals(credential.passwordDigest, request.passwordDigest)
        else {
            throw InboxError.conflict(
                reason: "the channel is registered with another password, or was uninstalled: make a new UUID"
            )
        }
        if let type = try await store.channel(channel, in: app)?.deviceType,
            let asked = request.registration.deviceType, type != asked
        {
            throw InboxError.conflict(
                reason: "the channel is registered as \(type.text), which does not change: make a new UUID")
        }
        return user
    }

    /// `DELETE /v1/channels/{channel}`: the device's own; its credential ends with it.
    static func uninstallChannel(
        _ shard: isolated Shard, _ call: Call, _ credential: Credential
    ) async throws -> Response {
        guard let channel = ChannelID(text: call.parameters[0]),
            try await shard.store.uninstall(channel, of: credential.reader.user)
        else { throw InboxError.notFound(what: "channel") }
        return Response(status: 204)
    }
}

/// What an installation says of itself.
struct ChannelRequest {
    /// At least 128 random bits, in characters that pass everywhere.
    static let passwordCharacters = RandomBytes.tokenCharacters...128

    let passwordDigest: [UInt8]
    let registration: Registration

    init(_ body: [UInt8], limits: Limits) throws(InboxError) {
        let root = try JSONField(body: body)
        try root.allowOnly(["password", "device_type", "opt_in", "background", "push_address", "tags"])
        passwordDigest = try ChannelRequest.digest(try root.required("password"))
        let type = try root.required("device_type")
        guard let deviceType = DeviceType(text: try type.string()) else {
            throw type.invalid("must be ios, android, amazon, web or open")
        }
        var registration = Registration(deviceType: deviceType)
        registration.isOptedIn = try root.member(unlessNull: "opt_in")?.bool()
        registration.hasBackground = try root.member(unlessNull: "background")?.bool()
        registration.pushAddress = try RegistrationPayload.address(root)
        if let tags = root.member(unlessNull: "tags") {
            registration.tags = try RegistrationPayload.tags(tags, limits)
        }
        self.registration = registration
    }

    private static func digest(_ field: JSONField) throws(InboxError) -> [UInt8] {
        let password = try field.string()
        let bounds = passwordCharacters
        guard password.utf8.count >= bounds.lowerBound, password.utf8.allSatisfy(Base64URL.isDigit) else {
            throw field.invalid(
                "must have at least \(bounds.lowerBound) characters of A-Z, a-z, 0-9, - and _")
        }
        guard password.utf8.count <= bounds.upperBound else {
            throw field.invalid(
                "has more than \(bounds.upperBound) characters",
                limit: Limit("password_characters", bounds.upperBound))
        }
        return SHA256.digest(password)
    }
}
