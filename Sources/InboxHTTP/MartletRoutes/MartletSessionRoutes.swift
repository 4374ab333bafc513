import Crypto
import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `PUT /v1/session/named-user`: logs the device in.
    static func logIn(_ shard: isolated Shard, _ call: Call, _ credential: Credential) async throws
        -> Response
    {
        let request = try LogInRequest(try call.plainBody(), limits: shard.configuration.limits)
        let user = credential.reader.user
        guard let app = try await shard.store.app(user.app) else { throw InboxError.unauthorized }
        let logIn = LogIn(try await shard.currentChannel(of: user), as: request.person, by: request.claim)
        _ = try await logIn.carryOut(in: shard.store, of: app, by: shard.logInRules)
        return try await shard.standing(of: credential.reader, as: request.person)
    }

    /// `DELETE /v1/session/named-user`: logs a device out, or ends a session.
    static func logOut(_ shard: isolated Shard, _ call: Call, _ credential: Credential) async throws
        -> Response
    {
        let reader = credential.reader
        guard !reader.isSession else {
            // Whoever ended it first: it has ended.
            _ = try await shard.store.endSession(reader.user, by: "session")
            return Response(status: 204)
        }
        let channel = try await shard.currentChannel(of: reader.user)
        _ = try await shard.store.logOut(channel, .always, in: reader.user.app)
        return try await shard.standing(of: reader, as: nil)
    }

    /// `POST /v1/sessions`: opens a session of a person for a browser.
    static func openSession(_ shard: isolated Shard, _ call: Call, _ caller: BackendCaller) async throws
        -> Response
    {
        let request = try SessionRequest(try call.plainBody())
        let user = UserID(app: caller.app.app, key: Int64(bitPattern: RandomBytes.uint64()))
        let token = SessionToken(of: user)
        let expires = try await shard.store.openSession(
            NewSession(
                user: user, secretDigest: token.secretDigest, person: request.person,
                lifeSeconds: request.lifeSeconds), by: caller.actor)
        return .json(status: 201) { body in
            body.member("token", token.text)
            body.member("user_id", user.text)
            body.member("named_user_id", request.person.text)
            body.member("expires", expires.millisecondsText)
        }
    }

    /// `DELETE /v1/sessions/{user_id}`: ends a session.
    static func endSession(_ shard: isolated Shard, _ call: Call, _ caller: BackendCaller) async throws
        -> Response
    {
        guard let user = UserID(text: Array(call.parameters[0].utf8)[...]), user.app == caller.app.app,
            try await shard.store.endSession(user, by: caller.actor)
        else { throw InboxError.notFound(what: "session") }
        return Response(status: 204)
    }

    /// What claims of devices are checked by.
    var logInRules: LogIn.Rules { LogIn.Rules(key: configuration.key, limits: configuration.limits) }

    /// The user's channel, which is what people are logged in on.
    private func currentChannel(of user: UserID) async throws -> ChannelID {
        guard let channel = try await store.channel(of: user) else {
            throw InboxError.conflict(reason: "the user has no channel: register one, and attach it")
        }
        return channel
    }

    /// The answer to a change of who is logged in: the view after it.
    private func standing(of reader: Reader, as person: NamedUserID?) async throws -> Response {
        let (unreadCount, cursor) = try await standing(of: reader)
        return .privateJSON(
            JSONWriter.bytes { writer in
                writer.object { body in
                    body.member("named_user_id", orNull: person?.text)
                    body.member("unread_count", unreadCount)
                    body.member("cursor", cursor)
                }
            })
    }
}
