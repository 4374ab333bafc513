package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    package func logIn(
        _ channel: ChannelID, as person: NamedUserID, with proof: VerifiedProof?, in app: AppID
    ) async throws -> LogInOutcome {
        let digest = proof.flatMap(\.digest)
        var statements = [hold(channel, and: person, in: app)]
        statements.append(make(person, in: app, if: exists(channel, in: app)))
        if let proof, let digest { statements.append(keep(digest, of: proof, shownBy: channel, in: app)) }
        statements += [enter(channel, as: person, with: digest, in: app)]
        statements += crowd(of: person, keeping: channel, in: app)
        let results = try await write(statements, for: app, changing: .returned)
        if digest != nil {
            let isOwn = try await faults {
                try results[2].row { (row) throws(PostgresError) in try row.next(Bool.self) }
            }
            if isOwn == false { return .usedProof }
        }
        return try await association(of: channel, in: app).map(LogInOutcome.done) ?? .unknownChannel
    }

    package func logOut(
        _ channel: ChannelID, _ condition: LogOut, in app: AppID
    ) async throws -> Association? {
        _ = try await write([leave(channel, condition, in: app)], for: app, changing: .returned)
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

    /// Holds the inboxes of a device and of the person who comes to it, if that is somebody else.
    ///
    /// So one person's logins take turns, and each counts the devices that the one before has left; and an erasure is over
    /// before the person is looked for, or waits until it finds the device too.
    private func hold(_ channel: ChannelID, and person: NamedUserID, in app: AppID) -> SQL {
        """
        WITH meeting AS (
            SELECT c.inbox_id AS device, n.inbox_id AS person
            FROM channels c
            JOIN inboxes i ON i.app_id = c.app_id AND i.inbox_id = c.inbox_id
            JOIN named_users n ON n.app_id = c.app_id AND n.named_user = \(person)
            WHERE c.app_id = \(app) AND c.channel_id = \(channel) AND i.person_id IS DISTINCT FROM n.inbox_id
        )
        SELECT i.inbox_id
        FROM meeting m
        JOIN inboxes i ON i.app_id = \(app) AND i.inbox_id IN (m.device, m.person)
        ORDER BY i.inbox_id FOR NO KEY UPDATE OF i
        """
    }

    /// Makes the person where it is unknown, under a condition.
    func make(_ person: NamedUserID, in app: AppID, if condition: SQL) -> SQL {
        """
        WITH fresh AS (
            INSERT INTO named_users (app_id, inbox_id, named_user)
            SELECT \(app), nextval('inbox_ids'), \(person)
            WHERE \(condition)
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

    private func exists(_ channel: ChannelID, in app: AppID) -> SQL {
        "EXISTS (SELECT FROM channels WHERE app_id = \(app) AND channel_id = \(channel))"
    }

    /// Keeps a proof for the first device that shows it; says whether that is this one.
    ///
    /// Once it has expired nobody accepts it, so that its id may stand for another.
    private func keep(
        _ digest: [UInt8], of proof: VerifiedProof, shownBy channel: ChannelID, in app: AppID
    ) -> SQL {
        """
        INSERT INTO used_proofs AS u (app_id, proof_digest, inbox_id, expires_at)
        SELECT app_id, \(digest), inbox_id, \(proof.goodUntil)
        FROM channels
        WHERE app_id = \(app) AND channel_id = \(channel)
        ON CONFLICT (app_id, proof_digest) DO UPDATE
        SET inbox_id = CASE WHEN u.expires_at <= martlet_now() THEN excluded.inbox_id ELSE u.inbox_id END,
            expires_at = greatest(u.expires_at, excluded.expires_at)
        RETURNING u.inbox_id = (
            SELECT c.inbox_id FROM channels c WHERE c.app_id = \(app) AND c.channel_id = \(channel))
        """
    }

    /// Logs in; raises the device's revision only where the person changes.
    ///
    /// With a proof that is for one device only, nothing happens on another.
    private func enter(
        _ channel: ChannelID, as person: NamedUserID, with proof: [UInt8]?, in app: AppID
    ) -> SQL {
        """
        UPDATE inboxes i
        SET person_id = n.inbox_id, revision = i.revision + 1, associated_at = martlet_now()
        FROM channels c, named_users n
        WHERE c.app_id = \(app) AND c.channel_id = \(channel)
            AND n.app_id = \(app) AND n.named_user = \(person)
            AND i.app_id = \(app) AND i.inbox_id = c.inbox_id AND i.person_id IS DISTINCT FROM n.inbox_id
            AND (\(proof)::bytea IS NULL OR EXISTS (
                SELECT FROM used_proofs
                WHERE app_id = \(app) AND proof_digest = \(proof) AND inbox_id = c.inbox_id))
        RETURNING i.inbox_id AS changed_inbox
        """
    }

    /// Logs out and renews the channel's anonymous contact.
    private func leave(_ channel: ChannelID, _ condition: LogOut, in app: AppID) -> SQL {
        """
        WITH gone AS (
            UPDATE inboxes i
            SET person_id = NULL, revision = i.revision + 1, associated_at = martlet_now()
            FROM channels c
            WHERE c.app_id = \(app) AND c.channel_id = \(channel)
                AND i.app_id = \(app) AND i.inbox_id = c.inbox_id AND i.person_id IS NOT NULL
                AND \(isMet(condition, in: app))
            RETURNING i.inbox_id
        )
        UPDATE channels c SET contact_id = gen_random_uuid()
        FROM gone g
        WHERE c.app_id = \(app) AND c.inbox_id = g.inbox_id
        RETURNING c.inbox_id AS changed_inbox
        """
    }

    /// Whether `inboxes i`, in which somebody is logged in, meets a condition.
    private func isMet(_ condition: LogOut, in app: AppID) -> SQL {
        switch condition {
        case .always: "true"
        case .onlyAs(let person): "i.person_id = \(inbox(of: person, in: app))"
        case .unlessAs(let person): "i.person_id IS DISTINCT FROM \(inbox(of: person, in: app))"
        }
    }

    private func inbox(of person: NamedUserID, in app: AppID) -> SQL {
        "(SELECT inbox_id FROM named_users WHERE app_id = \(app) AND named_user = \(person))"
    }

    /// Logs out the longest unseen channels of a person who has too many.
    private func crowd(of person: NamedUserID, keeping channel: ChannelID, in app: AppID) -> [SQL] {
        [
            """
            WITH beyond AS (
                SELECT i.inbox_id, i.person_id, c.channel_id
                FROM named_users n
                JOIN inboxes i ON i.app_id = n.app_id AND i.person_id = n.inbox_id
                JOIN channels c ON c.app_id = i.app_id AND c.inbox_id = i.inbox_id
                WHERE n.app_id = \(app) AND n.named_user = \(person)
                ORDER BY c.channel_id = \(channel) DESC, c.last_registration DESC, c.channel_id
                OFFSET \(Int64(limits.channelsPerNamedUser))
            ), told AS (
                INSERT INTO audit (app_id, actor, action, subject, detail)
                SELECT \(app), 'server', 'channel.logout', channel_id::text,
                    jsonb_build_object('named_user_id', \(person.text), 'limit', 'channels_per_named_user')
                FROM beyond
            )
            UPDATE inboxes i SET person_id = NULL, revision = i.revision + 1, associated_at = martlet_now()
            FROM beyond b
            WHERE i.app_id = \(app) AND i.inbox_id = b.inbox_id
                AND i.person_id = b.person_id  -- who has left meanwhile stays where they are
            RETURNING i.inbox_id AS changed_inbox
            """
        ]
    }
}
