package import InboxModel
import InboxService
import Postgres

extension PostgresStore {
    package func createUser(
        _ user: UserID, passwordDigest: [UInt8], channel: ChannelID?, deviceType: DeviceType
    ) async throws {
        let app = user.app
        var statements: [SQL] = []
        if let channel {
            statements = [lockInbox(of: channel, in: app), displace(from: channel, for: user)]
            statements.append(
                """
                INSERT INTO inbox_users (app_id, user_key, inbox_id, password_digest)
                SELECT app_id, \(user.key), inbox_id, \(passwordDigest)
                FROM channels
                WHERE app_id = \(app) AND channel_id = \(channel)
                """)
        } else {
            statements.append(
                """
                WITH fresh AS (
                    INSERT INTO inboxes (app_id, device_types, baseline)
                    SELECT app_id, \(DeviceTypes.all), revision FROM apps WHERE app_id = \(app)
                    RETURNING app_id, inbox_id
                )
                INSERT INTO inbox_users (app_id, user_key, inbox_id, password_digest)
                SELECT app_id, \(user.key), inbox_id, \(passwordDigest) FROM fresh
                """)
        }
        let results = try await write(statements, for: app, changing: .returned)
        guard results.last?.affected == 1 else { throw InboxError.notFound(what: "channel") }
    }

    /// Moves what the user holds into the channel's inbox, and binds the user to it.
    ///
    /// The app's row is held shared: a recall takes it alone, so that no row moves from under its tombstones.
    package func attach(_ channel: ChannelID, to user: UserID) async throws {
        let app = user.app
        let isAttached = try await faults {
            try await pipelines.reads.row(
                """
                SELECT c.inbox_id = u.inbox_id
                FROM channels c, inbox_users u
                WHERE c.app_id = \(app) AND c.channel_id = \(channel)
                    AND u.app_id = \(app) AND u.user_key = \(user.key)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in try row.next(Bool.self) }
        }
        guard let isAttached else { throw InboxError.notFound(what: "channel") }
        guard !isAttached else { return }
        _ = try await write(
            [
                "SELECT 1 FROM apps WHERE app_id = \(app) FOR SHARE",
                """
                SELECT inbox_id FROM inboxes
                WHERE app_id = \(app) AND inbox_id IN (
                    SELECT inbox_id FROM inbox_users WHERE app_id = \(app) AND user_key = \(user.key)
                    UNION SELECT inbox_id FROM channels WHERE app_id = \(app) AND channel_id = \(channel))
                ORDER BY inbox_id FOR NO KEY UPDATE
                """,
                raiseInboxes(of: user, and: channel),
                displace(from: channel, for: user),
                move(from: user, to: channel),
                """
                UPDATE inbox_users u SET inbox_id = c.inbox_id
                FROM channels c
                WHERE u.app_id = \(app) AND u.user_key = \(user.key)
                    AND c.app_id = \(app) AND c.channel_id = \(channel)
                """,
                Cap.enforce(
                    in: app,
                    inboxes: "SELECT inbox_id FROM channels WHERE app_id = \(app) AND channel_id = \(channel)"
                ),
            ], for: app, changing: .returned, on: pipelines.sends)
    }

    private func lockInbox(of channel: ChannelID, in app: AppID) -> SQL {
        """
        SELECT i.inbox_id FROM inboxes i
        JOIN channels c ON c.app_id = i.app_id AND c.inbox_id = i.inbox_id
        WHERE c.app_id = \(app) AND c.channel_id = \(channel)
        FOR NO KEY UPDATE OF i
        """
    }

    /// Gives whoever else has the channel's inbox an empty one: two users never see the same.
    ///
    /// A channel's id is no proof of who is logged in on it: in mode `verified` nobody is any more.
    private func displace(from channel: ChannelID, for user: UserID) -> SQL {
        """
        WITH other AS (
            SELECT u.user_key, u.inbox_id,
                a.identity_mode = \(IdentityMode.verified) AND i.person_id IS NOT NULL AS is_logged_out
            FROM inbox_users u
            JOIN apps a ON a.app_id = u.app_id
            JOIN inboxes i ON i.app_id = u.app_id AND i.inbox_id = u.inbox_id
            JOIN channels c ON c.app_id = u.app_id AND c.inbox_id = u.inbox_id
            WHERE c.app_id = \(user.app) AND c.channel_id = \(channel) AND u.user_key <> \(user.key)
        ), fresh AS (
            INSERT INTO inboxes (app_id, device_types, baseline)
            SELECT a.app_id, \(DeviceTypes.all), a.revision
            FROM apps a
            WHERE a.app_id = \(user.app) AND EXISTS (SELECT FROM other)
            RETURNING inbox_id
        ), raised AS (
            UPDATE inboxes i
            SET revision = i.revision + 1,
                person_id = CASE WHEN NOT o.is_logged_out THEN i.person_id END,
                associated_at = CASE WHEN o.is_logged_out THEN martlet_now() ELSE i.associated_at END
            FROM other o
            WHERE i.app_id = \(user.app) AND i.inbox_id = o.inbox_id
        ), renewed AS (
            UPDATE channels c SET contact_id = gen_random_uuid()
            FROM other o
            WHERE o.is_logged_out AND c.app_id = \(user.app) AND c.inbox_id = o.inbox_id
        )
        UPDATE inbox_users u SET inbox_id = f.inbox_id
        FROM other o, fresh f
        WHERE u.app_id = \(user.app) AND u.user_key = o.user_key
        RETURNING o.inbox_id AS changed_inbox
        """
    }

    /// Raises the inbox that a user leaves for a channel's, and that one: whoever watches either looks again, and finds that
    /// cursors from before are of another content.
    private func raiseInboxes(of user: UserID, and channel: ChannelID) -> SQL {
        """
        UPDATE inboxes i SET revision = i.revision + 1, moved_revision = i.revision + 1
        FROM inbox_users u, channels c
        WHERE u.app_id = \(user.app) AND u.user_key = \(user.key)
            AND c.app_id = \(user.app) AND c.channel_id = \(channel) AND u.inbox_id <> c.inbox_id
            AND i.app_id = \(user.app) AND i.inbox_id IN (u.inbox_id, c.inbox_id)
        RETURNING i.inbox_id AS changed_inbox
        """
    }

    /// What both inboxes held becomes one row: deleted in either is deleted, and of two marks the later counts.
    ///
    /// The revision grows by the number of deliveries that come, so that it is never below the number of all.
    private func move(from user: UserID, to channel: ChannelID) -> SQL {
        let app = user.app
        return """
            WITH move AS (
                SELECT u.inbox_id AS origin, c.inbox_id AS target, (
                    SELECT count(*) FROM deliveries WHERE app_id = \(app) AND inbox_id = u.inbox_id) AS held
                FROM inbox_users u, channels c
                WHERE u.app_id = \(app) AND u.user_key = \(user.key)
                    AND c.app_id = \(app) AND c.channel_id = \(channel) AND u.inbox_id <> c.inbox_id
            ), raised AS (
                UPDATE inboxes i SET revision = i.revision + v.held, baseline = least(i.baseline, o.baseline)
                FROM move v
                JOIN inboxes o ON o.app_id = \(app) AND o.inbox_id = v.origin
                WHERE i.app_id = \(app) AND i.inbox_id = v.target
                RETURNING i.inbox_id, i.revision
            ), taken AS (
                DELETE FROM deliveries d USING move v
                WHERE d.app_id = \(app) AND d.inbox_id = v.origin
                RETURNING d.message_id, d.sent_ms, d.expires_ms, d.marked_at, d.device_types, d.unread, d.deleted,
                    d.broadcast, d.beside_people
            )
            INSERT INTO deliveries AS m (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, marked_at,
                device_types, unread, deleted, broadcast, beside_people)
            SELECT \(app), t.message_id, r.inbox_id, t.sent_ms, t.expires_ms, r.revision, r.revision, t.marked_at,
                t.device_types, t.unread, t.deleted, t.broadcast, t.beside_people
            FROM taken t, raised r
            ON CONFLICT (app_id, message_id, inbox_id) DO UPDATE
            SET unread = CASE
                    WHEN m.marked_at IS NOT DISTINCT FROM excluded.marked_at THEN m.unread AND excluded.unread
                    WHEN m.marked_at IS NULL OR m.marked_at < excluded.marked_at THEN excluded.unread
                    ELSE m.unread END,
                deleted = m.deleted OR excluded.deleted,
                marked_at = greatest(m.marked_at, excluded.marked_at), changed = excluded.changed
            """
    }
}
