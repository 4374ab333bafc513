import InboxModel
import InboxService
import Postgres

/// Statements that take away what nobody can see any more, at most so many rows of an app each.
///
/// Rows that others have locked are passed over: they wait for nobody, so nobody waits for them in a circle.
struct PurgeStatement {
    let app: AppID
    let times: RetentionTimes
    /// Rows of one statement.
    let most: Int64

    func sql(_ kind: Purge) -> SQL {
        switch kind {
        case .deliveries: ofExpired("deliveries")
        case .fetches: ofExpired("fetches")
        case .messages: messages
        case .logEntries: logEntries
        case .proofs:
            """
            DELETE FROM used_proofs
            WHERE app_id = \(app) AND proof_digest IN (
                SELECT proof_digest FROM used_proofs
                WHERE app_id = \(app) AND expires_at < martlet_now() - interval '1 day'
                ORDER BY expires_at LIMIT \(most) FOR UPDATE SKIP LOCKED)
            """
        case .sessions:
            """
            DELETE FROM inbox_users
            WHERE app_id = \(app) AND user_key IN (
                SELECT user_key FROM inbox_users
                WHERE app_id = \(app) AND expires_at < martlet_now() - interval '1 day'
                ORDER BY expires_at LIMIT \(most) FOR UPDATE SKIP LOCKED)
            """
        case .idempotencyKeys:
            """
            DELETE FROM idempotency_keys
            WHERE app_id = \(app) AND key IN (
                SELECT key FROM idempotency_keys
                WHERE app_id = \(app) AND created_at < martlet_now() - interval '1 day'
                ORDER BY created_at LIMIT \(most) FOR UPDATE SKIP LOCKED)
            """
        case .clientEvents:
            """
            DELETE FROM client_events e
            USING (
                SELECT inbox_id, event_id FROM client_events
                WHERE app_id = \(app) AND received_at < martlet_now() - make_interval(days => \(times.clientEvents))
                ORDER BY received_at LIMIT \(most) FOR UPDATE SKIP LOCKED) g
            WHERE e.app_id = \(app) AND e.inbox_id = g.inbox_id AND e.event_id = g.event_id
            """
        case .audit:
            // Entries are numbered as they come, so the oldest are the first.
            """
            DELETE FROM audit
            WHERE app_id = \(app) AND at < martlet_now() - make_interval(days => \(times.audit))
                AND entry_id IN (
                    SELECT entry_id FROM audit WHERE app_id = \(app) ORDER BY entry_id LIMIT \(most))
            """
        }
    }

    /// The oldest of the messages that expired long enough ago.
    private var expired: SQL {
        """
        SELECT message_id FROM messages
        WHERE app_id = \(app) AND expires_ms < martlet_now_ms() - \(Int64(times.expired) * 86_400_000)
        ORDER BY expires_ms LIMIT 100
        """
    }

    /// Rows of a table that belong to one of these and to an inbox.
    private func ofExpired(_ table: SQL) -> SQL {
        """
        WITH expired AS MATERIALIZED (\(expired)), gone AS MATERIALIZED (
            SELECT t.message_id, t.inbox_id
            FROM expired e
            JOIN \(table) t ON t.app_id = \(app) AND t.message_id = e.message_id
            LIMIT \(most) FOR UPDATE OF t SKIP LOCKED
        )
        DELETE FROM \(table) t USING gone g
        WHERE t.app_id = \(app) AND t.message_id = g.message_id AND t.inbox_id = g.inbox_id
        """
    }

    /// Those of which nothing else is left, so that no delivery stays without its message.
    private var messages: SQL {
        """
        DELETE FROM messages m
        WHERE m.app_id = \(app) AND m.message_id IN (\(expired))
            AND NOT EXISTS (SELECT FROM deliveries WHERE app_id = \(app) AND message_id = m.message_id)
            AND NOT EXISTS (SELECT FROM fetches WHERE app_id = \(app) AND message_id = m.message_id)
        """
    }

    /// All but the newest, and but the first that says where the app's floor is.
    ///
    /// - Complexity: walks the app's log.
    private var logEntries: SQL {
        """
        DELETE FROM app_log
        WHERE app_id = \(app) AND revision IN (
            SELECT revision FROM app_log
            WHERE app_id = \(app) AND expires_ms < martlet_now_ms() - \(Int64(times.expired) * 86_400_000)
                AND revision < (SELECT max(revision) FROM app_log WHERE app_id = \(app))
                AND revision IS DISTINCT FROM (
                    SELECT min(l.revision)
                    FROM app_log l
                    JOIN apps a ON a.app_id = l.app_id AND a.floor_ms = l.floor_ms AND a.floor_id = l.floor_id
                    WHERE l.app_id = \(app) AND NOT l.recall)
            ORDER BY revision LIMIT \(most))
        """
    }
}

// Channels, and inboxes that nobody can reach.
extension PurgeStatement {
    /// Whether `channels c` is dead.
    private var isDead: SQL {
        """
        (c.uninstalled_at < martlet_now() - make_interval(days => \(times.uninstalled))
            OR c.last_registration < martlet_now() - make_interval(days => \(times.silent)))
        """
    }

    /// Whether `inboxes i` has an owner, or is the person of a device.
    private var isOwned: SQL {
        """
        (EXISTS (SELECT FROM channels WHERE app_id = i.app_id AND inbox_id = i.inbox_id)
            OR EXISTS (SELECT FROM inbox_users WHERE app_id = i.app_id AND inbox_id = i.inbox_id)
            OR EXISTS (SELECT FROM named_users WHERE app_id = i.app_id AND inbox_id = i.inbox_id)
            OR EXISTS (SELECT FROM inboxes WHERE app_id = i.app_id AND person_id = i.inbox_id))
        """
    }

    /// Each inbox with whether its channel is dead and whether it has an owner.
    ///
    /// - Complexity: a page of the primary key, and four look-ups for each of its inboxes.
    func page(after last: InboxID) -> SQL {
        """
        SELECT i.inbox_id, coalesce(\(isDead), false), \(isOwned)
        FROM (
            SELECT app_id, inbox_id FROM inboxes
            WHERE app_id = \(app) AND inbox_id > \(last)
            ORDER BY inbox_id LIMIT \(most)) i
        LEFT JOIN channels c ON c.app_id = i.app_id AND c.inbox_id = i.inbox_id
        ORDER BY i.inbox_id
        """
    }

    /// Channels with their users and tags, unless they have come back to life; gives their inboxes.
    func burial(of inboxes: [InboxID]) -> SQL {
        """
        WITH held AS MATERIALIZED (
            SELECT inbox_id FROM inboxes
            WHERE app_id = \(app) AND inbox_id = ANY(\(inboxes))
            ORDER BY inbox_id FOR UPDATE SKIP LOCKED
        ), dead AS (
            DELETE FROM channels c USING held h
            WHERE c.app_id = \(app) AND c.inbox_id = h.inbox_id AND \(isDead)
            RETURNING c.inbox_id
        ), users AS (
            DELETE FROM inbox_users u USING dead d WHERE u.app_id = \(app) AND u.inbox_id = d.inbox_id
        ), tags AS (
            DELETE FROM inbox_tags t USING dead d WHERE t.app_id = \(app) AND t.inbox_id = d.inbox_id
        ), logout AS (
            UPDATE inboxes i SET person_id = NULL
            FROM dead d
            WHERE i.app_id = \(app) AND i.inbox_id = d.inbox_id AND i.person_id IS NOT NULL
        )
        SELECT inbox_id AS changed_inbox FROM dead
        """
    }

    /// What is in inboxes of nobody, then those that are empty; each statement to be repeated until it finds nothing.
    func contents(of inboxes: [InboxID]) -> [SQL] {
        let ownerless: SQL = """
            SELECT i.app_id, i.inbox_id FROM inboxes i
            WHERE i.app_id = \(app) AND i.inbox_id = ANY(\(inboxes)) AND NOT \(isOwned)
            """
        return [
            """
            WITH gone AS MATERIALIZED (
                SELECT d.message_id, d.inbox_id
                FROM (\(ownerless)) o
                JOIN deliveries d ON d.app_id = o.app_id AND d.inbox_id = o.inbox_id
                LIMIT \(most) FOR UPDATE OF d SKIP LOCKED
            )
            DELETE FROM deliveries d USING gone g
            WHERE d.app_id = \(app) AND d.message_id = g.message_id AND d.inbox_id = g.inbox_id
            """,
            """
            WITH gone AS MATERIALIZED (
                SELECT e.inbox_id, e.event_id
                FROM (\(ownerless)) o
                JOIN client_events e ON e.app_id = o.app_id AND e.inbox_id = o.inbox_id
                LIMIT \(most) FOR UPDATE OF e SKIP LOCKED
            )
            DELETE FROM client_events e USING gone g
            WHERE e.app_id = \(app) AND e.inbox_id = g.inbox_id AND e.event_id = g.event_id
            """,
            """
            DELETE FROM inboxes i
            WHERE i.app_id = \(app) AND i.inbox_id IN (SELECT inbox_id FROM (\(ownerless)) o)
                AND NOT EXISTS (SELECT FROM deliveries WHERE app_id = i.app_id AND inbox_id = i.inbox_id)
            """,
        ]
    }
}
