import Crypto
import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// The credentials of installations.
    static func userRoutes(into router: inout Router<Route>) {
        router.add(.post, "/api/user", Route(.device) { shard, call in try await shard.createUser(call) })
        router.add(
            .post, "/api/user/{user}", Route(.device) { shard, call in try await shard.updateUser(call) })
    }

    /// Makes a user and its password; the channel of the body, if there is one, becomes its current one.
    private func createUser(_ call: Call) async throws -> Response {
        let caller = try await deviceCaller(call)
        let platform = try UserPlatform(JSONField(body: call.request.body))
        let channel = try platform.channels.first.map { text in
            guard let channel = ChannelID(text: text) else { throw InboxError.notFound(what: "channel") }
            return channel
        }
        // A token is for one channel: with it, a user of another cannot be made.
        guard caller.channel == nil || channel == nil || caller.channel == channel else {
            throw InboxError.unauthorized
        }
        let user = UserID(app: caller.app.app, key: Int64(bitPattern: RandomBytes.uint64()))
        let password = RandomBytes.token22()
        try await store.createUser(
            user, passwordDigest: SHA256.digest(password), channel: channel, deviceType: platform.deviceType)
        return .json(status: 201) { body in
            body.member("ok", true)
            body.member("user_id", user.text)
            body.member("password", password)
            body.member("user_url", "\(call.base)/api/user/\(user.text)/")
        }
    }

    /// Attaches the channels of the body, the last one stays current.
    ///
    /// A channel that is not known here changes nothing and is no error: SDKs stop refreshing after anything but 200,
    /// and the channel itself is put right by its own update, which is answered 409.
    private func updateUser(_ call: Call) async throws -> Response {
        let reader = try await user(call, named: call.parameters[0]).reader
        let platform = try UserPlatform(JSONField(body: call.request.body))
        for channel in platform.channels.compactMap({ ChannelID(text: $0) }) {
            do {
                try await store.attach(channel, to: reader.user)
            } catch InboxError.notFound {
                continue
            }
        }
        return .ok
    }
}

/// What a body about a user says: one key by platform, with the channels that are, or are to be, the user's.
private struct UserPlatform {
    var deviceType = DeviceType.ios
    var channels: [String] = []

    /// Reads `{"ios_channels": ["…"]}` and `{"ios_channels": {"add": ["…"]}}`; other keys count for nothing.
    init(_ body: JSONField) throws(InboxError) {
        guard case .object = body.value else { throw body.wrongKind("an object") }
        for type in [DeviceType.ios, .android, .amazon] {
            guard var field = body.member(unlessNull: "\(type.text)_channels") else { continue }
            deviceType = type
            if case .object = field.value {
                guard let added = field.member(unlessNull: "add") else { continue }
                field = added
            }
            guard case .array = field.value else { throw field.wrongKind("an array") }
            channels += try field.strings()
        }
        guard channels.count <= UserPlatform.maximumChannels else {
            throw body.invalid(
                "names more than \(UserPlatform.maximumChannels) channels",
                limit: Limit("channels_per_user_request", UserPlatform.maximumChannels))
        }
    }

    /// SDKs send one; each costs a write.
    private static let maximumChannels = 10
}
