import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    /// One statement: the list, and the ids that anything happened to since.
    package func changes(for reader: Reader, since point: ViewPoint) async throws -> ChangeSnapshot? {
        let user = reader.user
        let app = user.app
        return try await faults {
            try await pipelines.reads.row(
                """
                SELECT \(ListStatement.columns(of: app)), (
                    SELECT array_agg(message_id) FROM (\(Self.touched(in: app, since: point))) touched)
                FROM inbox_users u \(ListStatement.joins(of: app))
                WHERE u.app_id = \(app) AND u.user_key = \(user.key)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                let list = try ListStatement.snapshot(&row, of: user)
                return ChangeSnapshot(list: list, touched: try row.next([MessageID]?.self) ?? [])
            }
        }
    }

    /// Message ids, each once, within a list's statement: `d` is the device's inbox, `a` the app.
    ///
    /// Whatever did not happen to one of these since the point cannot have changed how a message looks.
    private static func touched(in app: AppID, since point: ViewPoint) -> SQL {
        let state = point.state
        return """
            SELECT c.message_id
            FROM (VALUES (d.inbox_id, \(state.deviceRevision)), (d.person_id, \(state.personRevision)))
                v (inbox_id, revision)
            JOIN deliveries c ON c.app_id = \(app) AND c.inbox_id = v.inbox_id AND c.changed > v.revision
            UNION
            SELECT e.message_id
            FROM (VALUES (d.inbox_id), (d.person_id)) v (inbox_id)
            JOIN deliveries e ON e.app_id = \(app) AND e.inbox_id = v.inbox_id AND NOT e.deleted AND NOT e.broadcast
                AND e.expires_ms > \(point.time.milliseconds) AND e.expires_ms <= martlet_now_ms()
            UNION
            SELECT message_id FROM app_log WHERE app_id = \(app) AND revision > \(state.appRevision)
            UNION
            SELECT l.message_id
            FROM app_log l
            LEFT JOIN LATERAL (
                SELECT f.floor_ms, f.floor_id FROM app_log f
                WHERE f.app_id = \(app) AND NOT f.recall AND f.revision <= \(state.appRevision)
                ORDER BY f.revision DESC LIMIT 1) old ON true
            WHERE l.app_id = \(app) AND NOT l.recall AND l.sent_ms >= coalesce(old.floor_ms, 0) AND (
                l.expires_ms > \(point.time.milliseconds) AND l.expires_ms <= martlet_now_ms()
                OR \(isBehind("a")) AND NOT coalesce(\(isBehind("old")), false))
            """
    }

    /// Whether the broadcast `l` stands at the floor of `a` or `old`, or behind it.
    private static func isBehind(_ floor: SQL) -> SQL {
        """
        (l.sent_ms < \(floor).floor_ms OR l.sent_ms = \(floor).floor_ms AND l.message_id >= \(floor).floor_id)
        """
    }
}
