import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// Who has which device, and who is logged in on it.
extension ModelServer {
    static func identityRoutes(into router: inout Router<Handler>) {
        router.add(.put, "/v1/channels/{channel}") { try $0.register($1) }
        router.add(.delete, "/v1/channels/{channel}") { try $0.uninstall($1) }
        router.add(.post, "/api/channels") { try $0.createChannel($1) }
        router.add(.post, "/api/user") { try $0.createUser($1) }
        router.add(.post, "/api/user/{user}") { try $0.attach($1) }
        router.add(.post, "/api/named_users/associate") { try $0.associate($1) }
        router.add(.post, "/api/named_users/disassociate") { try $0.associate($1) }
        router.add(.put, "/v1/session/named-user") { try $0.claim($1) }
        router.add(.delete, "/v1/session/named-user") { try $0.leave($1) }
    }

    /// The same channel and password again change nothing but the tags; another password is refused.
    private mutating func register(_ call: ModelCall) throws -> Response {
        let (app, body) = (try app(call, isBackend: false), try call.json())
        let channel = try channel(call.parameters[0])
        let type = DeviceType(text: try body.string("device_type")) ?? .web
        let (password, tags) = (try body.string("password"), try tags(body))
        if let known = apps[app]?.channels.first(where: { $0.value == channel })?.key {
            guard apps[app]?.secrets[known] == password, apps[app]?.model.ownership(of: known) != nil else {
                throw Refusal(409)
            }
            if let tags { apps[app]?.model.setTags(tags, in: Audience.deviceTagGroup, of: channel) }
            return registered(channel, known, status: 200)
        }
        apps[app]?.model.register(channel, type, tags: tags ?? [])
        let user = newUser(of: app, secret: password)
        apps[app]?.model.makeUser(user, on: channel)
        apps[app]?.channels[user] = channel
        return registered(channel, user, status: 201)
    }

    private func tags(_ body: JSON) throws -> Set<String>? {
        guard body["tags"] != nil else { return nil }
        return Set(try JSONField(body).required("tags").strings())
    }

    private func registered(_ channel: ChannelID, _ user: UserID, status: Int) -> Response {
        .json(status) { answer in
            answer.member("channel_id", channel.text)
            answer.member("user_id", user.text)
        }
    }

    private mutating func uninstall(_ call: ModelCall) throws -> Response {
        let (user, channel) = (try user(call), try channel(call.parameters[0]))
        guard apps[user.app]?.channels[user] == channel else { throw Refusal(404) }
        apps[user.app]?.model.uninstall(channel)
        return Response(status: 204)
    }

    private mutating func createChannel(_ call: ModelCall) throws -> Response {
        let (app, body) = (try app(call, isBackend: false), try call.json())
        guard let details = body["channel"], let type = DeviceType(text: try details.string("device_type"))
        else {
            throw Refusal(400)
        }
        let tags = try JSONField(details).required("tags").strings()
        let channel = try channel(MessageID(high: random.next(), low: random.next()).pushID)
        apps[app]?.model.register(channel, type, tags: Set(tags))
        return .json(201) { answer in
            answer.member("ok", true)
            answer.member("channel_id", channel.text)
        }
    }

    private mutating func createUser(_ call: ModelCall) throws -> Response {
        let (app, body) = (try app(call, isBackend: false), try call.json())
        let names = try JSONField(body).members().flatMap { try $0.field.strings() }
        let user = newUser(of: app, secret: "password")
        let channel = try channel(names[0])
        apps[app]?.model.makeUser(user, on: channel)
        apps[app]?.channels[user] = channel
        return .json(201) { answer in
            answer.member("ok", true)
            answer.member("user_id", user.text)
            answer.member("password", "password")
        }
    }

    private mutating func attach(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        for (_, field) in try JSONField(call.json()).members() {
            for name in try field.required("add").strings() {
                let channel = try channel(name)
                apps[user.app]?.model.attach(channel, to: user)
                let others = apps[user.app]?.channels.filter { $0.value != channel }
                apps[user.app]?.channels = others ?? [:]
                apps[user.app]?.channels[user] = channel
            }
        }
        return Response(status: 200)
    }

    private mutating func associate(_ call: ModelCall) throws -> Response {
        let app = try app(call, isBackend: true)
        let request = try DisassociationRequest(call.request.body)
        if let person = request.namedUser {
            apps[app]?.model.login(request.channel, as: person)
        } else if lapse != .keepsPersonAtLogout {
            apps[app]?.model.logout(request.channel)
        }
        return Response(status: 200)
    }

    private mutating func claim(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        let channel = try currentChannel(of: user)
        let person = try NamedUserID(call.json().string("named_user_id"))
        guard apps[user.app]?.model.claim(channel, as: person) == true else { throw Refusal(403) }
        return standing(of: user, as: person)
    }

    private mutating func leave(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        let channel = try currentChannel(of: user)
        apps[user.app]?.model.logout(channel)
        return standing(of: user, as: nil)
    }

    private func currentChannel(of user: UserID) throws -> ChannelID {
        guard let channel = apps[user.app]?.channels[user] else { throw Refusal(409) }
        return channel
    }

    private mutating func standing(of user: UserID, as person: NamedUserID?) -> Response {
        let (unread, cursor) = (count(of: user), cursor(of: user))
        return .json { answer in
            answer.member("named_user_id", orNull: person?.text)
            answer.member("unread_count", unread)
            answer.member("cursor", cursor)
        }
    }

    private func channel(_ text: String) throws -> ChannelID {
        guard let channel = ChannelID(text: text) else { throw Refusal(404) }
        return channel
    }
}
