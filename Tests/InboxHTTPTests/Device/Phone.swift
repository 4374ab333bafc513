import Crypto
import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Testing

/// An installation with a stock SDK: what it knows, and the calls that it makes.
struct Phone: Sendable {
    var stage: DeviceStage
    let app: DeviceStage.App
    let channel: String
    let user: String
    let password: String
    let platform: DeviceType

    /// Registers as current SDKs do: channel, token, user.
    static func register(
        _ stage: DeviceStage, _ app: DeviceStage.App? = nil, _ platform: DeviceType = .ios
    ) async throws -> Phone {
        let app = app ?? stage.acme
        let channel = try await newChannel(stage, app, platform)
        let token = try await channelToken(stage, app, channel)
        let made = await stage.call(
            .post, "/api/user/", "Bearer \(token)", #"{"\#(platform.text)_channels":["\#(channel)"]}"#,
            headers: ["X-UA-Appkey": app.key, "X-UA-Auth-Type": "SDK-JWT", "X-UA-Channel-ID": channel])
        try #require(made.status == 201, "\(made.text)")
        let user = try #require(try made.json["user_id"]?.asText)
        let password = try #require(try made.json["password"]?.asText)
        return Phone(
            stage: stage, app: app, channel: channel, user: user, password: password, platform: platform)
    }

    static func newChannel(
        _ stage: DeviceStage, _ app: DeviceStage.App, _ platform: DeviceType = .ios
    ) async throws -> String {
        let payload = #"{"channel":{"device_type":"\#(platform.text)","opt_in":true,"background":true}}"#
        let headers = generatedToken(app, channel: nil)
        let made = await stage.call(
            .post, "/api/channels/", headers["Authorization"], payload, headers: headers.rest)
        try #require(made.status == 201, "\(made.text)")
        return try #require(try made.json["channel_id"]?.asText)
    }

    static func channelToken(
        _ stage: DeviceStage, _ app: DeviceStage.App, _ channel: String
    ) async throws -> String {
        let headers = generatedToken(app, channel: channel)
        let answer = await stage.call(
            .get, "/api/auth/device", headers["Authorization"], headers: headers.rest)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(try answer.json["token"]?.asText)
    }

    /// Headers of a token as SDKs make it, Android's newline at its end included.
    static func generatedToken(
        _ app: DeviceStage.App, channel: String?, at time: String? = nil, newline: Bool = true
    ) -> Headers {
        let nonce = UUID().uuidString
        let time = time ?? ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 0))
        let parts = [app.key] + (channel.map { [$0] } ?? []) + [nonce, time]
        let code = HMACSHA256.code(
            key: Array(app.secret.utf8), message: Array(parts.joined(separator: ":").utf8))
        var headers: Headers = ["X-UA-Appkey": app.key, "X-UA-Nonce": nonce, "X-UA-Timestamp": time]
        headers.add("Authorization", "Bearer " + Base64.encode(code) + (newline ? "\n" : ""))
        if let channel { headers.add("X-UA-Channel-ID", channel) }
        return headers
    }

    /// The same installation, talking to another instance.
    func on(_ stage: DeviceStage) -> Phone {
        var phone = self
        phone.stage = stage
        return phone
    }

    var basic: String { DeviceStage.App.basic(user, password) }

    var audience: Audience {
        get throws { .channels([try #require(ChannelID(text: channel))], type: nil) }
    }

    /// A call with the user's credentials; `path` goes on behind `/api/user/{id}`.
    func call(
        _ method: HTTPCore.Method, _ path: String, _ body: String = "", headers: Headers = [:]
    ) async -> Response {
        await stage.call(method, "/api/user/\(user)\(path)", basic, body, headers: headers)
    }

    func list(since date: String? = nil) async throws -> List {
        let answer = await call(.get, "/messages/", headers: date.map { ["If-Modified-Since": $0] } ?? [:])
        return try List(answer)
    }

    /// Sends a batch as SDKs do, from ids.
    func batch(_ name: String, _ messages: [String]) async -> Response {
        let elements = messages.map { #"{"message_id":"\#($0)"}"# }.joined(separator: ",")
        return await call(.post, "/messages/\(name)/", #"{"messages":[\#(elements)]}"#)
    }

    func body(_ message: String, headers: Headers = [:]) async -> Response {
        await stage.call(.get, "/api/user/messages/message/\(message)/body/", basic, headers: headers)
    }

    /// Logs in by the oldest way.
    func login(_ name: String) async -> Response {
        await stage.call(
            .post, "/api/named_users/associate", app.basic,
            #"{"channel_id":"\#(channel)","device_type":"ios","named_user_id":"\#(name)"}"#)
    }
}

/// A list as a client reads it.
struct List: Sendable {
    let status: Int
    let lastModified: String?
    /// Ids in their order.
    var ids: [String] = []
    var unread: [String] = []
    var badge: Int64?
    var messages: [JSON] = []

    init(_ response: Response) throws {
        status = response.status
        lastModified = response.headers["last-modified"]
        guard status == 200 else { return }
        guard case .array(let messages)? = try response.json["messages"] else {
            Issue.record("no array of messages: \(response.text)")
            return
        }
        self.messages = messages
        badge = try response.json["badge"]?.asInteger
        ids = messages.compactMap { $0["message_id"]?.asText }
        unread = messages.filter { $0["unread"] == .bool(true) }.compactMap { $0["message_id"]?.asText }
    }
}

extension Response {
    var text: String { String(decoding: body, as: UTF8.self) }

    var json: JSON {
        get throws { try JSON.parse(body) }
    }
}

extension JSON {
    var asText: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var asInteger: Int64? {
        guard case .number(let number) = self else { return nil }
        return number.int64
    }
}

extension Headers {
    /// These without the credentials, which are given apart.
    var rest: Headers {
        var rest = self
        rest.remove("authorization")
        return rest
    }
}
