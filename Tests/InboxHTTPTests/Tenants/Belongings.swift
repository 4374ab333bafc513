import Crypto
import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Postgres
import TestSupport
import Testing

/// What can be named in a request and belongs to somebody, or to nobody.
struct Belongings: Sendable {
    var message = MessageID(pushID: UUID()).text
    var channel = UUID().uuidString.lowercased()
    var schedule = UUID().uuidString.lowercased()
    var person = "nobody"
    /// Somebody whom a call may make in the caller's app.
    var namesake = "nobody-else"
    /// The `user_id` of a session.
    var session = UserID(app: AppID(rawValue: 1), key: .random(in: .min ... .max)).text
    /// Of `changes`; nothing where it is nobody's.
    var cursor: String?
    /// The `next` of pages, by the path of their list.
    var next: [String: String] = [:]
    var event = "event-of-nobody"

    /// Every text above that an answer to others must not show.
    var texts: [String] { [message, channel, schedule, person, namesake, session, event] }
}

/// An app with people, devices, sessions, messages and schedules.
struct TenantWorld: Sendable {
    /// Stands in every text that the app's messages have.
    static let secret = "for-globex-alone"

    let app: DeviceStage.App
    let phone: Phone
    /// `Bearer` of the session.
    let bearer: String
    let belongings: Belongings

    private static let lists = ["/v1/messages", "/v1/schedules", "/v1/audit"]

    static func make(_ stage: DeviceStage, _ app: DeviceStage.App, person: String) async throws -> TenantWorld
    {
        let phone = try await Phone.register(stage, app)
        var own = Belongings()
        (own.person, own.namesake, own.event) = (person, "\(person)-too", "event-of-\(person)")
        own.channel = phone.channel
        try await stage.associate(phone, person)
        for audience in [#"{"named_user":"\#(person)"}"#, #""all""#, #"{"channel":"\#(phone.channel)"}"#] {
            own.message = try await stage.backendText(
                .post, "/v1/messages", app, #"{"audience":\#(audience),\#(message)}"#, "message_id")
        }
        for _ in 0..<2 {
            let body = #"{"scheduled_in":3600,"message":{"audience":"all",\#(message)}}"#
            own.schedule = try await stage.backendText(.post, "/v1/schedules", app, body, "schedule_id")
        }
        let session = try await stage.session(of: person, in: app)
        own.session = session.user
        let events = #"{"events":[{"id":"\#(own.event)","type":"opened","message_id":"\#(own.message)"}]}"#
        #expect(await phone.v1(.post, "/events", events).status == 200)
        for list in lists {
            own.next[list] = try await stage.backendText(.get, "\(list)?limit=1", app, "", "next")
        }
        own.next["/v1/inbox"] = try await phone.inbox("?limit=1").next
        own.cursor = try await phone.inbox().cursor
        return TenantWorld(app: app, phone: phone, bearer: "Bearer \(session.token)", belongings: own)
    }

    private static let message =
        #""message":{"title":"\#(secret)","body":"\#(secret)","extra":{"k":"\#(secret)"}}"#
}

extension DeviceStage {
    /// Logs a device in, as its backend does.
    func associate(_ phone: Phone, _ person: String) async throws {
        let body = #"{"channel_id":"\#(phone.channel)","named_user_id":"\#(person)"}"#
        let answer = await call(.post, "/api/named_users/associate", phone.app.masterBasic, body)
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// A text in the answer to an app's backend.
    fileprivate func backendText(
        _ method: HTTPCore.Method, _ target: String, _ app: App, _ body: String, _ name: String
    ) async throws -> String {
        let answer = await call(method, target, app.masterBasic, body)
        try #require((200..<300).contains(answer.status), "\(target): \(answer.text)")
        return try #require(try answer.json[name]?.asText)
    }

    /// A line for each table, which is another as soon as any row of the app in it is.
    func digest(of app: App) async throws -> [String] {
        let name = app.name
        let text = try await onDatabaseThread { [url] in
            try AdminConnection(url).value(
                """
                SELECT string_agg(name || ' ' || md5(rows), ' ; ' ORDER BY name) FROM (
                    SELECT c.table_name::text AS name, query_to_xml(
                        format(
                            'SELECT to_jsonb(t) FROM %I t WHERE app_id = (SELECT app_id FROM apps WHERE name = %L) ORDER BY 1',
                            c.table_name, \(name)), true, false, '')::text AS rows
                    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
                    WHERE c.table_schema = current_schema() AND c.column_name = 'app_id'
                        AND t.table_type = 'BASE TABLE'
                ) AS tables
                """, as: String.self)
        }
        return text.components(separatedBy: " ; ")
    }
}
