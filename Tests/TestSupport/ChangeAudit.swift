import InboxModel
package import InboxService
import Platform
package import Postgres

/// Holds what a store tells of its changes against what it changes: in every test that opens one, so that no way of
/// writing is forgotten.
///
/// Triggers note which inboxes and apps each transaction of the server's role touches in a way that views show.
package final class ChangeAudit: Sendable {
    /// For the store.
    package let hints = Hints()
    /// How often it was told of an inbox, or of an app (inbox 0).
    private let told = Lock<[String: Int]>([:])
    private let listener = Lock<HintListener?>(nil)
    private let batches = Lock<[HintBatch]>([])

    /// Begins to note, in a database of a test's own.
    package init(_ admin: AdminConnection) throws {
        try admin.script(ChangeAudit.triggers)
        // `wake` runs within the call that tells, so that each is a batch of its own.
        let listener = hints.overhear { [weak self] in self?.take() }
        self.listener.withLock { $0 = listener }
    }

    /// What was told since this was last asked.
    package func takeBatches() -> [HintBatch] {
        batches.withLock { batches in
            let taken = batches
            batches = []
            return taken
        }
    }

    /// Inboxes and apps, as `app/inbox`, that were changed by more transactions than were told of.
    package func untold(_ admin: AdminConnection) throws -> [String] {
        let changes = try admin.rows(
            """
            SELECT format('%s/%s', app_id, inbox_id), count(DISTINCT transaction)
            FROM noted_changes GROUP BY 1 ORDER BY 1
            """
        ) { (row) throws(PostgresError) in (try row.next(String.self), try row.next(Int64.self)) }
        let told = told.withLock { $0 }
        return changes.filter { $0.1 > told[$0.0] ?? 0 }.map(\.0)
    }

    private func take() {
        guard let batch = listener.withLock({ $0 })?.take() else { return }
        batches.withLock { $0.append(batch) }
        let names =
            Set(batch.inboxes).map { "\($0.app.rawValue)/\($0.inbox.rawValue)" }
            + batch.apps.map { "\($0.rawValue)/0" }
        told.withLock { told in for name in names { told[name, default: 0] += 1 } }
    }

    private static let triggers = """
        CREATE TABLE noted_changes (app_id integer, inbox_id bigint, transaction bigint DEFAULT txid_current());
        GRANT INSERT ON noted_changes TO martlet_app;
        CREATE FUNCTION note_inbox() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO noted_changes VALUES (OLD.app_id, OLD.inbox_id);
            RETURN NULL;
        END $$;
        CREATE FUNCTION note_app() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO noted_changes VALUES (OLD.app_id, 0);
            RETURN NULL;
        END $$;
        CREATE TRIGGER note_raised AFTER UPDATE OF revision, person_id, device_types ON inboxes FOR EACH ROW
            WHEN (current_user = 'martlet_app') EXECUTE FUNCTION note_inbox();
        CREATE TRIGGER note_gone AFTER DELETE ON inboxes FOR EACH ROW
            WHEN (current_user = 'martlet_app') EXECUTE FUNCTION note_inbox();
        CREATE TRIGGER note_moved AFTER UPDATE OF inbox_id, password_digest, expires_at ON inbox_users FOR EACH ROW
            WHEN (current_user = 'martlet_app') EXECUTE FUNCTION note_inbox();
        CREATE TRIGGER note_void AFTER DELETE ON inbox_users FOR EACH ROW
            WHEN (current_user = 'martlet_app') EXECUTE FUNCTION note_inbox();
        CREATE TRIGGER note_app AFTER UPDATE OF revision, settings_revision ON apps FOR EACH ROW
            WHEN (current_user = 'martlet_app') EXECUTE FUNCTION note_app();
        """
}
