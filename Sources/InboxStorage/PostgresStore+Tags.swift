package import InboxModel
package import InboxService
import Postgres

extension PostgresStore {
    package func changeTags(
        _ change: TagChange, ofChannels channels: [ChannelID], in app: AppID
    ) async throws -> [ChannelID] {
        // Held, so that of two changes at once the second sees what the first has made.
        let known: SQL = """
            SELECT channel_id FROM channels WHERE app_id = \(app) AND channel_id = ANY(\(channels))
            ORDER BY channel_id FOR NO KEY UPDATE
            """
        let owners: SQL =
            "SELECT inbox_id FROM channels WHERE app_id = \(app) AND channel_id = ANY(\(channels))"
        let results = try await write(
            [known] + statements(of: change, owners: owners, in: app), for: app, changing: .none)
        let found = Set(try results[0].rows { (row) throws(PostgresError) in try row.next(ChannelID.self) })
        return channels.filter { !found.contains($0) }
    }

    package func changeTags(
        _ change: TagChange, ofPeople people: [NamedUserID], in app: AppID
    ) async throws -> [NamedUserID] {
        let known: SQL = """
            UPDATE named_users SET modified_at = martlet_now()
            WHERE app_id = \(app) AND named_user = ANY(\(people))
            RETURNING named_user
            """
        let owners: SQL =
            "SELECT inbox_id FROM named_users WHERE app_id = \(app) AND named_user = ANY(\(people))"
        let results = try await write(
            [known] + statements(of: change, owners: owners, in: app), for: app, changing: .none)
        let found = Set(try results[0].rows { (row) throws(PostgresError) in try row.next(NamedUserID.self) })
        return people.filter { !found.contains($0) }
    }

    /// Removals, then additions.
    ///
    /// `set` empties the groups it names first. The last statement holds each owner to its limit.
    /// - Parameter owners: a query of `inbox_id`.
    func statements(of change: TagChange, owners: SQL, in app: AppID) -> [SQL] {
        var statements: [SQL] = []
        if !change.set.isEmpty {
            let groups = change.set.keys.sorted()
            statements.append(
                """
                DELETE FROM inbox_tags
                WHERE app_id = \(app) AND tag_group = ANY(\(groups)) AND inbox_id IN (\(owners))
                """)
        }
        let (removedGroups, removedTags) = Self.pairs(of: change.remove)
        if !removedTags.isEmpty {
            statements.append(
                """
                DELETE FROM inbox_tags t
                USING unnest(\(removedGroups), \(removedTags)) r (tag_group, tag)
                WHERE t.app_id = \(app) AND t.tag_group = r.tag_group AND t.tag = r.tag
                    AND t.inbox_id IN (\(owners))
                """)
        }
        let (addedGroups, addedTags) = Self.pairs(of: change.add.merging(change.set) { $0 + $1 })
        if !addedTags.isEmpty {
            statements.append(
                """
                INSERT INTO inbox_tags (app_id, tag_group, tag, inbox_id)
                SELECT \(app), a.tag_group, a.tag, o.inbox_id
                FROM (\(owners)) o, unnest(\(addedGroups), \(addedTags)) a (tag_group, tag)
                ON CONFLICT DO NOTHING
                """)
            statements.append(
                """
                SELECT martlet_hold('tags_per_channel', count(*), \(Int64(limits.tagsPerChannel)))
                FROM inbox_tags
                WHERE app_id = \(app) AND inbox_id IN (\(owners))
                GROUP BY inbox_id
                """)
        }
        return statements
    }

    private static func pairs(of tags: [String: [String]]) -> (groups: [String], tags: [String]) {
        let pairs = tags.sorted { $0.key < $1.key }.flatMap { group, tags in tags.map { (group, $0) } }
        return (pairs.map(\.0), pairs.map(\.1))
    }

    package func namedUser(_ person: NamedUserID, in app: AppID) async throws -> NamedUserRecord? {
        try await people("n.named_user = \(person)", limit: 1, in: app).first
    }

    package func namedUsers(
        in app: AppID, after: NamedUserID?, limit: Int
    ) async throws -> [NamedUserRecord] {
        try await people("n.named_user > \(after?.text ?? "")", limit: limit, in: app)
    }

    /// The first people, by their ids' bytes, that a condition on `named_users n` picks, with their channels.
    private func people(_ condition: SQL, limit: Int, in app: AppID) async throws -> [NamedUserRecord] {
        let records = try await faults {
            try await pipelines.reads.rows(
                """
                SELECT n.named_user, n.created_at, n.modified_at, t.groups, t.tags
                FROM named_users n
                CROSS JOIN LATERAL (
                    SELECT array_agg(tag_group ORDER BY tag_group, tag) AS groups,
                        array_agg(tag ORDER BY tag_group, tag) AS tags
                    FROM inbox_tags
                    WHERE app_id = n.app_id AND inbox_id = n.inbox_id) t
                WHERE n.app_id = \(app) AND \(condition)
                ORDER BY n.named_user
                LIMIT \(Int64(limit))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                NamedUserRecord(
                    namedUser: try row.next(), created: try row.next(), lastModified: try row.next(),
                    tags: try Self.tags(&row), channels: [])
            }
        }
        guard !records.isEmpty else { return [] }
        let channels = try await channels("n.named_user = ANY(\(records.map(\.namedUser)))", in: app)
        let byPerson = Dictionary(grouping: channels, by: \.namedUser)
        return records.map { record in
            var record = record
            record.channels = byPerson[record.namedUser] ?? []
            return record
        }
    }
}
