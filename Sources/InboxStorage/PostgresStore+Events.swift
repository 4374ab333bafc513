package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    /// - Complexity: a look-up by the primary key for each event.
    package func keep(_ events: [ClientEvent], of user: UserID) async throws {
        if events.isEmpty { return }
        // In the order of their ids, so that two batches of one inbox wait for each other and do not lock each other out.
        _ = try await write(
            [
                """
                INSERT INTO client_events (app_id, inbox_id, event_id, type, message_id, happened_at, data)
                SELECT u.app_id, u.inbox_id, e.id, e.type, e.message, e.at, e.data::jsonb
                FROM inbox_users u
                CROSS JOIN unnest(\(events.map(\.id)), \(events.map(\.type)), \(events.map(\.message)),
                    \(events.map(\.at)), \(events.map(\.dataJSON))) e (id, type, message, at, data)
                WHERE u.app_id = \(user.app) AND u.user_key = \(user.key)
                ORDER BY e.id
                ON CONFLICT DO NOTHING
                """
            ], for: user.app, changing: .none)
    }
}
