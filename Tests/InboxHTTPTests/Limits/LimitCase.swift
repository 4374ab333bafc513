import Foundation
import HTTPCore
import InboxModel

/// A request that is refused as soon as it has more of something than a limit allows.
struct LimitCase: Sendable {
    let name: String
    let border: Int
    /// What is answered beyond it.
    var refusal = 400
    /// The request with so many of what is limited.
    let call: @Sendable (LimitedCaller, Int) async -> Response

    init(
        _ name: String, _ border: Int, refusal: Int = 400,
        _ call: @escaping @Sendable (LimitedCaller, Int) async -> Response
    ) {
        (self.name, self.border, self.refusal, self.call) = (name, border, refusal, call)
    }
}

/// Whoever meets limits: a backend and a device of one app.
struct LimitedCaller: Sendable {
    let phone: Phone

    func backend(
        _ method: HTTPCore.Method, _ target: String, _ body: String = "", headers: Headers = [:]
    ) async -> Response {
        await phone.stage.call(method, target, phone.app.masterBasic, body, headers: headers)
    }

    /// A message whose members are given, as each way of sending checks it.
    func rehearse(_ way: Way, _ message: String, audience: String = #""all""#) async -> Response {
        let sent = #""audience":\#(audience),"message":{\#(message)}"#
        return switch way {
        case .message: await backend(.post, "/v1/messages", #"{\#(sent),"dry_run":true}"#)
        case .schedule:
            await backend(
                .post, "/v1/schedules", #"{"scheduled_in":60,"dry_run":true,"message":{\#(sent)}}"#)
        case .push: await backend(.post, "/api/push/validate", #"{\#(sent),"device_types":"all"}"#)
        }
    }

    enum Way: Sendable, CaseIterable { case message, schedule, push }

    /// Registers a channel that nobody has.
    func register(_ members: String, password: String = "abcdefghijklmnopqrstuv") async -> Response {
        let body = #"{"password":"\#(password)","device_type":"ios"\#(members)}"#
        return await phone.stage.call(.put, "/v1/channels/\(UUID().uuidString)", phone.app.basic, body)
    }

    func event(_ members: String) async -> Response {
        await phone.v1(.post, "/events", #"{"events":[{\#(members)}]}"#)
    }
}

extension LimitCase {
    /// Limits that are near enough to be met by short requests.
    static let limits: Limits = {
        var limits = Limits()
        (limits.titleBytes, limits.messageBodyBytes, limits.contentTypeBytes) = (8, 20, 20)
        (limits.extraKeys, limits.extraBytes, limits.iconBytes) = (3, 40, 30)
        (limits.selectorsPerPush, limits.audienceDepth, limits.pushesPerRequest) = (4, 4, 3)
        (limits.schedulesPerRequest, limits.scheduleNameBytes) = (3, 9)
        (limits.idsPerBatch, limits.eventsPerBatch) = (4, 4)
        (limits.tagsPerChannel, limits.tagScalars, limits.tagsPerGroupInRequest) = (5, 6, 3)
        return limits
    }()

    static let all = ofMessages + ofAudiences + ofBatches + ofTags + ofDevices + ofSettings + ofPages

    private static let ofMessages: [LimitCase] = LimitedCaller.Way.allCases.flatMap { way in
        [
            LimitCase("title_bytes", 8) { await $0.rehearse(way, #""title":"\#(text($1))","body":"B""#) },
            LimitCase("message_body_bytes", 20, refusal: 413) {
                await $0.rehearse(way, #""title":"T","body":"\#(text($1))""#)
            },
            LimitCase("content_type_bytes", 20) {
                await $0.rehearse(way, #""title":"T","body":"B","content_type":"a/\#(text($1 - 2))""#)
            },
            LimitCase("extra_keys", 3) { caller, count in
                let members = (0..<count).map { "\"k\($0)\":\"v\"" }.joined(separator: ",")
                return await caller.rehearse(way, #""title":"T","body":"B","extra":{\#(members)}"#)
            },
            LimitCase("extra_bytes", 40) {
                await $0.rehearse(way, #""title":"T","body":"B","extra":{"key":"\#(text($1 - 3))"}"#)
            },
            LimitCase("icon_bytes", 30) {
                await $0.rehearse(way, #""title":"T","body":"B","icons":{"list_icon":"ua:\#(text($1 - 3))"}"#)
            },
        ]
    }

    private static let ofAudiences: [LimitCase] =
        LimitedCaller.Way.allCases.flatMap { way in
            [
                LimitCase("selectors_per_push", 4) {
                    await $0.rehearse(
                        way, #""title":"T","body":"B""#, audience: #"{"tag":[\#(list($1))]}"#)
                },
                LimitCase("audience_depth", 4) { caller, levels in
                    let nested =
                        String(repeating: #"{"not":"#, count: levels - 1) + #"{"tag":"a"}"#
                        + String(repeating: "}", count: levels - 1)
                    return await caller.rehearse(way, #""title":"T","body":"B""#, audience: nested)
                },
            ]
        } + [
            LimitCase("selectors_per_push", 4) {
                await $0.backend(
                    .post, "/api/named_users/tags",
                    #"{"audience":{"named_user_id":[\#(list($1))]},"add":{"g":"t"}}"#)
            },
            LimitCase("pushes_per_request", 3) {
                await $0.backend(.post, "/api/push/validate", array(of: $1, push))
            },
            LimitCase("schedules_per_request", 3) {
                await $0.backend(.post, "/api/schedules", array(of: $1, schedule(#""N""#)))
            },
            LimitCase("schedule_name_bytes", 9) {
                await $0.backend(.post, "/api/schedules", schedule(#""\#(text($1))""#))
            },
            LimitCase("schedule_name_bytes", 9) {
                let message = #""message":{"audience":"all","message":{"title":"T","body":"B"}}"#
                return await $0.backend(
                    .post, "/v1/schedules", #"{"scheduled_in":60,"name":"\#(text($1))",\#(message)}"#)
            },
            LimitCase("idempotency_key_bytes", 255) {
                let body =
                    #"{"audience":{"channel":"\#($0.phone.channel)"},"message":{"title":"T","body":"B"}}"#
                return await $0.backend(.post, "/v1/messages", body, headers: ["Idempotency-Key": text($1)])
            },
        ]

    private static let ofBatches: [LimitCase] = [
        LimitCase("ids_per_batch", 4) { caller, count in
            await caller.phone.batch("unread", (0..<count).map { MessageID(high: 1, low: UInt64($0)).text })
        },
        LimitCase("ids_per_batch", 4) { caller, count in
            let ids = (0..<count).map { "\"\(MessageID(high: 1, low: UInt64($0)).text)\"" }
            return await caller.phone.v1(.post, "/inbox/read", #"{"ids":[\#(ids.joined(separator: ","))]}"#)
        },
        LimitCase("events_per_batch", 4) { caller, count in
            let events = (0..<count).map { #"{"id":"\#($0)","type":"opened"}"# }.joined(separator: ",")
            return await caller.phone.v1(.post, "/events", #"{"events":[\#(events)]}"#)
        },
        LimitCase("event_id_scalars", 64) { await $0.event(#""id":"\#(text($1))","type":"opened""#) },
        LimitCase("event_type_bytes", 64) { await $0.event(#""id":"a","type":"\#(text($1))""#) },
        LimitCase("event_data_keys", 20) { caller, count in
            let data = (0..<count).map { "\"k\($0)\":\"v\"" }.joined(separator: ",")
            return await caller.event(#""id":"b","type":"opened","data":{\#(data)}"#)
        },
        LimitCase("event_data_bytes", 4096) {
            await $0.event(#""id":"c","type":"opened","data":{"k":"\#(text($1 - 1))"}"#)
        },
    ]

    private static let ofTags: [LimitCase] = [
        LimitCase("tags_per_channel", 5) { await $0.register(#","tags":[\#(list($1))]"#) },
        LimitCase("tags_per_channel", 5) {
            let channel = #"{"device_type":"ios","set_tags":true,"tags":[\#(list($1))]}"#
            return await $0.phone.stage.call(
                .post, "/api/channels", $0.phone.app.basic, #"{"channel":\#(channel)}"#)
        },
        LimitCase("tags_per_channel", 5) {
            await $0.backend(
                .post, "/api/channels/tags",
                #"{"audience":{"ios_channel":"\#($0.phone.channel)"},"set":{"device":[\#(list(3))],"g":[\#(list($1 - 3))]}}"#
            )
        },
        LimitCase("tag_scalars", 6) { await $0.register(#","tags":["\#(text($1))"]"#) },
        LimitCase("tag_scalars", 6) {
            await $0.backend(
                .post, "/api/named_users/tags",
                #"{"audience":{"named_user_id":"u"},"add":{"g":"\#(text($1))"}}"#)
        },
        LimitCase("tags_per_group_in_request", 3) {
            await $0.backend(
                .post, "/api/named_users/tags",
                #"{"audience":{"named_user_id":"u"},"add":{"g":[\#(list($1))]}}"#)
        },
    ]

    private static let ofDevices: [LimitCase] = [
        LimitCase("password_characters", 128) { await $0.register("", password: text($1)) },
        LimitCase("push_address_bytes", 4096) { await $0.register(#","push_address":"\#(text($1))""#) },
        LimitCase("channels_per_user_request", 10) { caller, count in
            let channels = (0..<count).map { _ in "\"\(UUID().uuidString)\"" }.joined(separator: ",")
            return await caller.phone.call(.post, "/", #"{"android_channels":{"add":[\#(channels)]}}"#)
        },
        LimitCase("named_user_scalars", 128) {
            await $0.phone.v1(.put, "/session/named-user", #"{"named_user_id":"\#(text($1))"}"#)
        },
        LimitCase("named_user_scalars", 128) {
            await $0.backend(.post, "/v1/sessions", #"{"named_user_id":" \#(text($1)) "}"#)
        },
        LimitCase("session_seconds", 86_400) {
            await $0.backend(.post, "/v1/sessions", #"{"named_user_id":"u","expires_in":\#($1)}"#)
        },
    ]

    private static let ofSettings: [LimitCase] = [
        LimitCase("cors_origins", 100) { caller, count in
            let origins = (0..<count).map { "\"https://h\($0).example\"" }.joined(separator: ",")
            return await caller.backend(.patch, "/v1/app", #"{"cors_origins":[\#(origins)]}"#)
        },
        LimitCase("origin_bytes", 300) {
            await $0.backend(.patch, "/v1/app", #"{"cors_origins":["https://\#(text($1 - 8))"]}"#)
        },
    ]

    private static let ofPages: [LimitCase] = [
        LimitCase("messages_per_page", 10_000) { await $0.phone.v1(.get, "/inbox?limit=\($1)") },
        LimitCase("changes_per_page", 1000) { await $0.phone.v1(.get, "/inbox/changes?limit=\($1)") },
        LimitCase("messages_per_page", 100) { await $0.backend(.get, "/v1/messages?limit=\($1)") },
        LimitCase("entries_per_page", 100) { await $0.backend(.get, "/v1/audit?limit=\($1)") },
        LimitCase("schedules_per_page", 100) { await $0.backend(.get, "/v1/schedules?limit=\($1)") },
        LimitCase("extra_filters", 10) { caller, count in
            let filters = (0..<count).map { "extra.k\($0)=v" }.joined(separator: "&")
            return await caller.phone.v1(.get, "/inbox/unread-count?\(filters)")
        },
    ]

    private static let push = #"{"audience":"all","device_types":"all","message":{"title":"T","body":"B"}}"#

    private static func schedule(_ name: String) -> String {
        #"{"name":\#(name),"schedule":{"scheduled_time":"2091-05-06T07:08:09"},"push":\#(push)}"#
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func list(_ count: Int) -> String {
        (0..<count).map { "\"t\($0)\"" }.joined(separator: ",")
    }

    private static func array(of count: Int, _ element: String) -> String {
        "[" + [String](repeating: element, count: count).joined(separator: ",") + "]"
    }
}
