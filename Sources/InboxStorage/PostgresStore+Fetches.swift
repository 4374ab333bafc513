import InboxModel
package import InboxService
import Postgres

extension PostgresStore {
    /// One statement an app, without those whose message is gone.
    package func record(_ fetches: [Fetch]) async throws {
        let byApp = Dictionary(grouping: fetches, by: \.app)
        for (app, fetches) in byApp.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            _ = try await write(
                [
                    """
                    INSERT INTO fetches (app_id, message_id, inbox_id)
                    SELECT m.app_id, m.message_id, f.inbox_id
                    FROM unnest(\(fetches.map(\.message)), \(fetches.map(\.inbox))) f (message_id, inbox_id)
                    JOIN messages m ON m.app_id = \(app) AND m.message_id = f.message_id
                    ORDER BY m.message_id, f.inbox_id
                    ON CONFLICT DO NOTHING
                    """
                ], for: app, changing: .none)
        }
    }
}
