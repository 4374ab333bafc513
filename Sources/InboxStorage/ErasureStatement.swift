import InboxModel
import InboxService
import Postgres

/// What it takes to forget a person, in one transaction.
enum ErasureStatement {
    /// App, messages, inboxes in ascending order, deliveries: the order of locks that every writer keeps.
    ///
    /// The app's row is held alone, so that meanwhile no inbox moves and no message is taken back; what is sent to the
    /// person waits for the inbox and does not find it. The last statement's one row says that there was such a person.
    static func statements(_ person: NamedUserID, in app: AppID, by actor: String) -> [SQL] {
        let inbox = inbox(of: person, in: app)
        return [
            "SELECT 1 FROM apps WHERE app_id = \(app) FOR NO KEY UPDATE",
            "\(messages(of: person, in: app)) ORDER BY m.message_id FOR UPDATE OF m",
            """
            SELECT inbox_id FROM inboxes
            WHERE app_id = \(app) AND (inbox_id = (\(inbox)) OR person_id = (\(inbox)))
            ORDER BY inbox_id FOR UPDATE
            """,
            """
            DELETE FROM messages
            WHERE app_id = \(app) AND message_id IN (\(messages(of: person, in: app)))
            """,
            """
            DELETE FROM fetches f
            USING deliveries d
            WHERE d.app_id = \(app) AND d.inbox_id = (\(inbox))
                AND f.app_id = d.app_id AND f.message_id = d.message_id AND f.inbox_id = d.inbox_id
            """,
            "DELETE FROM deliveries WHERE app_id = \(app) AND inbox_id = (\(inbox))",
            "DELETE FROM client_events WHERE app_id = \(app) AND inbox_id = (\(inbox))",
            logOut(of: inbox, in: app),
            forget(inbox, in: app, AuditLine(actor: actor, action: "named_user.erase", subject: person.text)),
        ]
    }

    /// The person's inbox.
    static func inbox(of person: NamedUserID, in app: AppID) -> SQL {
        "SELECT inbox_id FROM named_users WHERE app_id = \(app) AND named_user = \(person)"
    }

    /// The messages that the person's inbox holds and no other, and that no fan-out brings to more.
    static func messages(of person: NamedUserID, in app: AppID) -> SQL {
        """
        SELECT m.message_id
        FROM deliveries d
        JOIN messages m ON m.app_id = d.app_id AND m.message_id = d.message_id AND NOT m.broadcast
        WHERE d.app_id = \(app) AND d.inbox_id = (\(inbox(of: person, in: app))) AND NOT d.broadcast
            AND NOT EXISTS (
                SELECT FROM deliveries o
                WHERE o.app_id = d.app_id AND o.message_id = d.message_id AND o.inbox_id <> d.inbox_id)
            AND NOT EXISTS (SELECT FROM fanouts f WHERE f.app_id = d.app_id AND f.message_id = d.message_id)
        """
    }

    /// Devices on which the person is logged in get a new anonymous contact, as with any log-out.
    private static func logOut(of inbox: SQL, in app: AppID) -> SQL {
        """
        WITH gone AS (
            UPDATE inboxes i SET person_id = NULL, revision = i.revision + 1, associated_at = martlet_now()
            WHERE i.app_id = \(app) AND i.person_id = (\(inbox))
            RETURNING i.inbox_id
        ), renewed AS (
            UPDATE channels c SET contact_id = gen_random_uuid()
            FROM gone g
            WHERE c.app_id = \(app) AND c.inbox_id = g.inbox_id
        )
        SELECT inbox_id AS changed_inbox FROM gone
        """
    }

    /// With the inbox go name, tags and sessions.
    private static func forget(_ inbox: SQL, in app: AppID, _ line: AuditLine) -> SQL {
        """
        WITH gone AS (
            DELETE FROM inboxes WHERE app_id = \(app) AND inbox_id = (\(inbox))
            RETURNING inbox_id
        ), line AS (
            INSERT INTO audit (app_id, actor, action, subject, detail)
            SELECT \(app), \(line.actor), \(line.action), \(line.subject), \(line.detailJSON)::jsonb FROM gone
        )
        SELECT inbox_id AS changed_inbox FROM gone
        """
    }
}
