import Crypto
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import Postgres
import TestSupport
import Testing

extension DeviceStage {
    /// Says of an installation's inbox that something changed.
    func touch(_ phone: Phone) async throws {
        let user = try #require(UserID(text: Array(phone.user.utf8)[...]))
        let inbox: Int64 = try await value("SELECT inbox_id FROM inbox_users WHERE user_key = \(user.key)")
        configuration.hints.changed([InboxID(rawValue: inbox)], of: user.app)
    }

    /// Opens a session of a person; its credentials.
    func session(of person: String) async throws -> String {
        let key = Int64.random(in: .min ... .max)
        let secret = RandomBytes.token22()
        let app: Int32 = try await value(
            """
            INSERT INTO inbox_users (app_id, user_key, inbox_id, password_digest, expires_at)
            SELECT app_id, \(key), inbox_id, \(SHA256.digest(secret)), now() + interval '1 hour'
            FROM named_users WHERE named_user = \(person)
            RETURNING app_id
            """)
        return "Bearer \(UserID(app: AppID(rawValue: app), key: key).text)\(secret)"
    }

    /// The only value of a statement, run as the owner of the schema.
    private func value<Value: PostgresValue & Sendable>(_ sql: SQL) async throws -> Value {
        try await onDatabaseThread { [url] in try AdminConnection(url).value(sql) }
    }
}

extension Phone {
    /// Logs out by the oldest way.
    func logout() async -> Response {
        await stage.call(
            .post, "/api/named_users/disassociate", app.basic,
            #"{"channel_id":"\#(channel)","device_type":"ios"}"#)
    }
}

extension DeviceStage.App {
    /// The backend's credentials.
    var masterBasic: String { Self.basic(key, masterSecret) }
}
