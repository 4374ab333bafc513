package import InboxModel
package import InboxService
import Postgres

extension PostgresStore {
    package func register(
        _ channel: ChannelID, _ registration: Registration, for user: UserID, passwordDigest: [UInt8]
    ) async throws -> Bool {
        let app = user.app
        let type = registration.deviceType ?? .open
        // One statement, so that of two that come at once the second waits for the first and then makes nothing.
        let results = try await write(
            [
                """
                WITH fresh AS (
                    INSERT INTO channels (
                        app_id, channel_id, inbox_id, device_type, opt_in, background, push_address, details)
                    SELECT \(app), \(channel), nextval('inbox_ids'), \(type), \(registration.isOptedIn ?? false),
                        \(registration.hasBackground ?? false), \(registration.pushAddress),
                        \(registration.detailsJSON)::jsonb
                    WHERE NOT EXISTS (SELECT FROM channels WHERE app_id = \(app) AND channel_id = \(channel))
                    ON CONFLICT (app_id, channel_id) DO NOTHING
                    RETURNING app_id, inbox_id
                ), inbox AS (
                    INSERT INTO inboxes (app_id, inbox_id, device_types, baseline)
                    SELECT f.app_id, f.inbox_id, \(type), a.revision
                    FROM fresh f
                    JOIN apps a ON a.app_id = f.app_id
                    RETURNING app_id, inbox_id
                )
                INSERT INTO inbox_users (app_id, user_key, inbox_id, password_digest)
                SELECT app_id, \(user.key), inbox_id, \(passwordDigest) FROM inbox
                """
            ], for: app, changing: .none)
        return results[0].affected == 1
    }

    package func uninstall(_ channel: ChannelID, of user: UserID) async throws -> Bool {
        let app = user.app
        let results = try await write(
            [
                """
                UPDATE inboxes i
                SET person_id = NULL, revision = i.revision + 1,
                    associated_at = CASE WHEN i.person_id IS NULL THEN i.associated_at ELSE martlet_now() END
                WHERE i.app_id = \(app) AND i.inbox_id = \(inbox(of: channel, and: user))
                RETURNING i.inbox_id AS changed_inbox
                """,
                """
                UPDATE channels SET uninstalled_at = coalesce(uninstalled_at, martlet_now())
                WHERE app_id = \(app) AND channel_id = \(channel) AND inbox_id = \(inbox(of: channel, and: user))
                """,
                """
                DELETE FROM inbox_users
                WHERE app_id = \(app) AND user_key = \(user.key) AND inbox_id = \(inbox(of: channel, and: user))
                """,
            ], for: app, changing: .returned)
        return results[2].affected == 1
    }

    /// The inbox that a channel has and a user sees, if that is the same.
    private func inbox(of channel: ChannelID, and user: UserID) -> SQL {
        """
        (SELECT c.inbox_id
        FROM channels c
        JOIN inbox_users u ON u.app_id = c.app_id AND u.inbox_id = c.inbox_id
        WHERE c.app_id = \(user.app) AND c.channel_id = \(channel) AND u.user_key = \(user.key))
        """
    }

    package func user(of channel: ChannelID, in app: AppID) async throws -> UserID? {
        try await faults {
            try await pipelines.reads.row(
                """
                SELECT u.user_key
                FROM channels c
                JOIN inbox_users u ON u.app_id = c.app_id AND u.inbox_id = c.inbox_id AND u.expires_at IS NULL
                WHERE c.app_id = \(app) AND c.channel_id = \(channel)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in UserID(app: app, key: try row.next()) }
        }
    }

    package func channel(of user: UserID) async throws -> ChannelID? {
        try await faults {
            try await pipelines.reads.row(
                """
                SELECT c.channel_id
                FROM inbox_users u
                JOIN channels c ON c.app_id = u.app_id AND c.inbox_id = u.inbox_id
                WHERE u.app_id = \(user.app) AND u.user_key = \(user.key) AND u.expires_at IS NULL
                """, scope: Self.scope(user.app)
            ) { (row) throws(PostgresError) in try row.next(ChannelID.self) }
        }
    }
}
