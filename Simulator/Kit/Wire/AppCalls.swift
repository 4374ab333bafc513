import Foundation
import HTTPCore
import InboxModel
import InboxWire

/// The requests of devices and backends to one app, as both interfaces have them.
struct AppCalls: Hashable, Sendable {
    /// The value of a backend's `Authorization`.
    let backend: String
    /// The same of an app's devices.
    let app: String

    init(_ keys: AppKeys) {
        backend = AppCalls.basic(keys.key, keys.masterSecret)
        app = AppCalls.basic(keys.key, keys.appSecret)
    }

    static func basic(_ name: String, _ password: String) -> String {
        "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    }

    func request(
        _ method: HTTPCore.Method, _ target: String, as authorization: String,
        _ body: ((inout JSONWriter) -> Void)? = nil
    ) -> Request {
        var headers: Headers = ["Authorization": authorization]
        headers.add("Accept", "application/vnd.urbanairship+json; version=3;")
        guard let body else { return Request(method, target, headers: headers) }
        headers.add("Content-Type", "application/json")
        let bytes = JSONWriter.bytes { writer in writer.object(body) }
        return Request(method, target, headers: headers, body: bytes)
    }

    // MARK: Devices

    func register(_ channel: ChannelID, _ type: DeviceType, password: String, tags: [String]) -> Request {
        request(.put, "/v1/channels/\(channel.text)", as: app) { body in
            body.member("password", password)
            body.member("device_type", type.text)
            body.member("tags", tags)
        }
    }

    /// A channel as stock libraries make it, which get its id with the answer.
    func createChannel(_ type: DeviceType, tags: [String]) -> Request {
        request(.post, "/api/channels/", as: app) { body in
            body.object("channel") { channel in
                channel.member("device_type", type.text)
                channel.member("opt_in", true)
                channel.member("set_tags", true)
                channel.member("tags", tags)
            }
        }
    }

    func createUser(_ type: DeviceType, on channel: ChannelID) -> Request {
        request(.post, "/api/user/", as: app) { body in
            body.member("\(type.text)_channels", [channel.text])
        }
    }

    func attach(_ channel: ChannelID, _ type: DeviceType, to user: UserID, as authorization: String)
        -> Request
    {
        request(.post, "/api/user/\(user.text)/", as: authorization) { body in
            body.object("\(type.text)_channels") { $0.member("add", [channel.text]) }
        }
    }

    func uninstall(_ channel: ChannelID, as authorization: String) -> Request {
        request(.delete, "/v1/channels/\(channel.text)", as: authorization)
    }

    func tag(_ channel: ChannelID, _ tags: [String], ofPeople: Bool) -> Request {
        request(.post, "/api/channels/tags", as: backend) { body in
            body.object("audience") { $0.member("channel", channel.text) }
            body.object("set") { $0.member(AppCalls.tagGroup(ofPeople: ofPeople), tags) }
        }
    }

    // MARK: People

    /// A backend's word for who is on a channel, or that nobody is.
    func associate(_ channel: ChannelID, with person: NamedUserID?) -> Request {
        request(.post, "/api/named_users/\(person == nil ? "disassociate" : "associate")", as: backend) {
            body in
            body.member("channel_id", channel.text)
            if let person { body.member("named_user_id", person.text) }
        }
    }

    func login(as person: NamedUserID, by authorization: String) -> Request {
        request(.put, "/v1/session/named-user", as: authorization) { $0.member("named_user_id", person.text) }
    }

    func logout(by authorization: String) -> Request {
        request(.delete, "/v1/session/named-user", as: authorization)
    }

    func openSession(for person: NamedUserID, seconds: Int64) -> Request {
        request(.post, "/v1/sessions", as: backend) { body in
            body.member("named_user_id", person.text)
            body.member("expires_in", Int(seconds))
        }
    }

    func endSession(_ user: UserID) -> Request {
        request(.delete, "/v1/sessions/\(user.text)", as: backend)
    }

    func erase(_ person: NamedUserID) -> Request {
        let name = person.text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? person.text
        return request(.delete, "/v1/named-users/\(name)", as: backend)
    }

    func tag(_ person: NamedUserID, _ tags: [String]) -> Request {
        request(.post, "/api/named_users/tags", as: backend) { body in
            body.object("audience") { $0.member("named_user_id", person.text) }
            body.object("set") { $0.member(AppCalls.tagGroup(ofPeople: true), tags) }
        }
    }

    /// People carry tags of theirs alone, devices of either group.
    static func tagGroup(ofPeople: Bool) -> String { ofPeople ? "crew" : Audience.deviceTagGroup }

    // MARK: Backend

    func recall(_ message: MessageID) -> Request {
        request(.delete, "/v1/messages/\(message.text)", as: backend)
    }

    // MARK: Inbox

    /// A question; `headers` are conditions.
    func ask(_ target: String, as authorization: String, _ condition: (name: String, value: String)? = nil)
        -> Request
    {
        var request = request(.get, target, as: authorization)
        if let condition { request.headers.add(condition.name, condition.value) }
        return request
    }
}
