package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    package func register(
        _ channel: ChannelID, _ registration: Registration, in app: AppID
    ) async throws -> Bool {
        let type = registration.deviceType ?? .open
        let made: SQL = """
            WITH fresh AS (
                INSERT INTO inboxes (app_id, device_types, baseline)
                SELECT app_id, \(type), revision FROM apps
                WHERE app_id = \(app)
                    AND NOT EXISTS (SELECT FROM channels WHERE app_id = \(app) AND channel_id = \(channel))
                RETURNING app_id, inbox_id
            )
            INSERT INTO channels (app_id, channel_id, inbox_id, device_type, opt_in, background, push_address, details)
            SELECT app_id, \(channel), inbox_id, \(type), \(registration.isOptedIn ?? false),
                \(registration.hasBackground ?? false), \(registration.pushAddress),
                \(registration.detailsJSON)::jsonb
            FROM fresh
            """
        return try await write(
            [made] + tags(of: registration, channel, in: app), for: app, changing: .none)[0].affected == 1
    }

    package func update(_ channel: ChannelID, _ registration: Registration, in app: AppID) async throws
        -> Bool
    {
        let updated: SQL = """
            UPDATE channels
            SET opt_in = coalesce(\(registration.isOptedIn), opt_in),
                background = coalesce(\(registration.hasBackground), background),
                push_address = coalesce(\(registration.pushAddress), push_address),
                details = details || \(registration.detailsJSON)::jsonb,
                last_registration = martlet_now(), uninstalled_at = NULL
            WHERE app_id = \(app) AND channel_id = \(channel)
            """
        return try await write(
            [updated] + tags(of: registration, channel, in: app), for: app, changing: .none)[0].affected == 1
    }

    private func tags(of registration: Registration, _ channel: ChannelID, in app: AppID) -> [SQL] {
        var change = TagChange()
        let group = Audience.deviceTagGroup
        if let tags = registration.tags { change.set[group] = tags }
        if !registration.addedTags.isEmpty { change.add[group] = registration.addedTags }
        if !registration.removedTags.isEmpty { change.remove[group] = registration.removedTags }
        return statements(
            of: change,
            owners: "SELECT inbox_id FROM channels WHERE app_id = \(app) AND channel_id = \(channel)",
            in: app)
    }

    package func channel(_ channel: ChannelID, in app: AppID) async throws -> ChannelRecord? {
        try await channels("c.channel_id = \(channel)", in: app).first
    }

    /// The channels that a condition on `channels c` and `inboxes i` picks, by id.
    func channels(_ condition: SQL, in app: AppID) async throws -> [ChannelRecord] {
        try await faults {
            try await pipelines.reads.rows(
                """
                SELECT c.channel_id, c.device_type, c.uninstalled_at IS NULL, c.opt_in, c.background,
                    c.push_address, c.created_at, c.last_registration, n.named_user, t.groups, t.tags
                FROM channels c
                JOIN inboxes i ON i.app_id = c.app_id AND i.inbox_id = c.inbox_id
                LEFT JOIN named_users n ON n.app_id = i.app_id AND n.inbox_id = i.person_id
                CROSS JOIN LATERAL (
                    SELECT array_agg(tag_group ORDER BY tag_group, tag) AS groups,
                        array_agg(tag ORDER BY tag_group, tag) AS tags
                    FROM inbox_tags
                    WHERE app_id = c.app_id AND inbox_id = c.inbox_id) t
                WHERE c.app_id = \(app) AND \(condition)
                ORDER BY c.channel_id
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                ChannelRecord(
                    channel: try row.next(), deviceType: try row.next(),
                    flags: (installed: try row.next(), optedIn: try row.next(), background: try row.next()),
                    pushAddress: try row.next(),
                    times: (created: try row.next(), lastRegistration: try row.next()),
                    namedUser: try row.next(), tags: try Self.tags(&row))
            }
        }
    }

    /// Two columns of equal length, groups and tags, as a dictionary.
    static func tags(_ row: inout Row) throws(PostgresError) -> [String: [String]] {
        let groups = try row.next([String]?.self) ?? []
        let tags = try row.next([String]?.self) ?? []
        return Dictionary(zip(groups, tags.map { [$0] })) { $0 + $1 }
    }
}
