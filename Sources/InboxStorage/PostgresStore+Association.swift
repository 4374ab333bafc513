package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    package func associate(
        _ channel: ChannelID, with person: NamedUserID?, onlyIf: NamedUserID?, in app: AppID
    ) async throws -> Association? {
        guard let person else {
            _ = try await write([leave(channel, onlyIf: onlyIf, in: app)], for: app, changing: .returned)
            return try await association(of: channel, in: app)
        }
        _ = try await write(
            [make(person, for: channel, in: app), enter(channel, as: person, in: app)]
                + crowd(of: person, keeping: channel, in: app), for: app, changing: .returned)
        return try await association(of: channel, in: app)
    }

    package func association(of channel: ChannelID, in app: AppID) async throws -> Association? {
        try await faults {
            try await pipelines.reads.row(
                """
                SELECT coalesce(n.contact_id, c.contact_id), n.named_user, i.associated_at
                FROM channels c
                JOIN inboxes i ON i.app_id = c.app_id AND i.inbox_id = c.inbox_id
                LEFT JOIN named_users n ON n.app_id = i.app_id AND n.inbox_id = i.person_id
                WHERE c.app_id = \(app) AND c.channel_id = \(channel)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                let contact = try row.next(ChannelID.self).text
                return Association(contact: contact, namedUser: try row.next(), since: try row.next())
            }
        }
    }

    /// Makes the person where it is unknown and the channel is not.
    private func make(_ person: NamedUserID, for channel: ChannelID, in app: AppID) -> SQL {
        """
        WITH fresh AS (
            INSERT INTO named_users (app_id, inbox_id, named_user)
            SELECT \(app), nextval('inbox_ids'), \(person)
            WHERE EXISTS (SELECT FROM channels WHERE app_id = \(app) AND channel_id = \(channel))
                AND NOT EXISTS (SELECT FROM named_users WHERE app_id = \(app) AND named_user = \(person))
            ON CONFLICT (app_id, named_user) DO NOTHING
            RETURNING app_id, inbox_id
        )
        INSERT INTO inboxes (app_id, inbox_id, device_types, baseline)
        SELECT f.app_id, f.inbox_id, \(DeviceTypes.all), a.revision
        FROM fresh f
        JOIN apps a ON a.app_id = f.app_id
        """
    }

    /// Logs in; raises the device's revision only where the person changes.
    private func enter(_ channel: ChannelID, as person: NamedUserID, in app: AppID) -> SQL {
        """
        UPDATE inboxes i
        SET person_id = n.inbox_id, revision = i.revision + 1, associated_at = martlet_now()
        FROM channels c, named_users n
        WHERE c.app_id = \(app) AND c.channel_id = \(channel)
            AND n.app_id = \(app) AND n.named_user = \(person)
            AND i.app_id = \(app) AND i.inbox_id = c.inbox_id AND i.person_id IS DISTINCT FROM n.inbox_id
        RETURNING i.inbox_id AS changed_inbox
        """
    }

    /// Logs out and renews the channel's anonymous contact.
    private func leave(_ channel: ChannelID, onlyIf person: NamedUserID?, in app: AppID) -> SQL {
        """
        WITH gone AS (
            UPDATE inboxes i
            SET person_id = NULL, revision = i.revision + 1, associated_at = martlet_now()
            FROM channels c
            WHERE c.app_id = \(app) AND c.channel_id = \(channel)
                AND i.app_id = \(app) AND i.inbox_id = c.inbox_id AND i.person_id IS NOT NULL
                AND (\(person)::text IS NULL OR i.person_id = (
                    SELECT inbox_id FROM named_users WHERE app_id = \(app) AND named_user = \(person)))
            RETURNING i.inbox_id
        )
        UPDATE channels c SET contact_id = gen_random_uuid()
        FROM gone g
        WHERE c.app_id = \(app) AND c.inbox_id = g.inbox_id
        RETURNING c.inbox_id AS changed_inbox
        """
    }

    /// Logs out the longest unseen channels of a person who has too many.
    private func crowd(of person: NamedUserID, keeping channel: ChannelID, in app: AppID) -> [SQL] {
        [
            """
            WITH beyond AS (
                SELECT i.inbox_id
                FROM named_users n
                JOIN inboxes i ON i.app_id = n.app_id AND i.person_id = n.inbox_id
                JOIN channels c ON c.app_id = i.app_id AND c.inbox_id = i.inbox_id
                WHERE n.app_id = \(app) AND n.named_user = \(person)
                ORDER BY c.channel_id = \(channel) DESC, c.last_registration DESC, c.channel_id
                OFFSET \(Int64(limits.channelsPerNamedUser))
            )
            UPDATE inboxes i SET person_id = NULL, revision = i.revision + 1, associated_at = martlet_now()
            FROM beyond b
            WHERE i.app_id = \(app) AND i.inbox_id = b.inbox_id
            RETURNING i.inbox_id AS changed_inbox
            """
        ]
    }
}
