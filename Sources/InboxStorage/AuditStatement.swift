import InboxModel
package import InboxService
package import Postgres

extension AuditLine {
    /// The statement that writes the line down; it belongs into the write of what was done.
    func statement(in app: AppID) -> SQL {
        """
        INSERT INTO audit (app_id, actor, action, subject, detail)
        VALUES (\(app), \(actor), \(action), \(subject), \(detailJSON)::jsonb)
        """
    }

    /// The same, for what may turn out to change nothing: one line if `deed`, a statement that says RETURNING, gives rows.
    func statement(in app: AppID, ifAny deed: SQL) -> SQL {
        """
        WITH deed AS (\(deed))
        INSERT INTO audit (app_id, actor, action, subject, detail)
        SELECT \(app), \(actor), \(action), \(subject), \(detailJSON)::jsonb
        WHERE EXISTS (SELECT FROM deed)
        """
    }
}

extension AuditEntry: RowDecodable {
    package init(row: inout Row) throws(PostgresError) {
        self.init(
            id: try row.next(), at: try row.next(),
            line: AuditLine(
                actor: try row.next(), action: try row.next(), subject: try row.next(),
                detailJSON: try row.next()))
    }
}
