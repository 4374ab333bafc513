package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    /// - Complexity: a look-up by the primary key for each event.
    package func keep(_ events: [ClientEvent], of user: UserID) async throws {
        if events.isEmpty { return }
        // The inbox is held, so that an erasure waits for the events and takes them along.
        // In the order of their ids, so that two batches of one inbox wait for each other and do not lock each other out.
        _ = try await write(
            [
                """
                INSERT INTO client_events (app_id, inbox_id, event_id, type, message_id, happened_at, data)
                SELECT u.app_id, u.inbox_id, e.id, e.type, e.message, e.at, e.data::jsonb
                FROM (
                    SELECT i.app_id, i.inbox_id
                    FROM inbox_users u
                    JOIN inboxes i ON i.app_id = u.app_id AND i.inbox_id = u.inbox_id
                    WHERE u.app_id = \(user.app) AND u.user_key = \(user.key)
                    FOR KEY SHARE OF i) u
                CROSS JOIN unnest(\(events.map(\.id)), \(events.map(\.type)), \(events.map(\.message)),
                    \(events.map(\.at)), \(events.map(\.dataJSON))) e (id, type, message, at, data)
                ORDER BY e.id
                ON CONFLICT DO NOTHING
                """
            ], for: user.app, changing: .none)
    }
}
