package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    package func create(
        _ schedules: [Schedule], in app: AppID, as terms: SendTerms
    ) async throws -> FirstAnswer? {
        var statements = try ScheduleRows.insert(schedules, in: app, by: terms.actor, limits: limits)
        if let request = terms.request {
            let kept = Idempotency.Kept(memo: terms.memo)
            statements.insert(try Idempotency.claim(request, keeping: kept, in: app), at: 0)
        }
        do {
            _ = try await write(statements, for: app, changing: .none, on: pipelines.sends)
            return nil
        } catch let forestalled as Forestalled where forestalled.name == Idempotency.forestalledBy {
            guard let request = terms.request else { throw StoreFault.broken(forestalled.name) }
            return try await forestaller(of: request, in: app)
        }
    }

    package func schedule(_ id: ScheduleID, in app: AppID) async throws -> Schedule? {
        try await faults {
            try await pipelines.reads.row(
                """
                SELECT schedule_id, due_at, name, push, sends, created_at
                FROM schedules
                WHERE app_id = \(app) AND schedule_id = \(id)
                """, scope: Self.scope(app), ScheduleRows.decode)
        }
    }

    /// A page ends where its pushes have `ScheduleRows.pageBytes`, after one schedule at the least.
    package func schedules(
        in app: AppID, after: SchedulePosition?, limit: Int
    ) async throws -> SchedulePage {
        let rows = try await faults {
            try await pipelines.reads.rows(
                """
                SELECT schedule_id, due_at, name, push, sends, created_at, candidates
                FROM (
                    SELECT schedule_id, due_at, name, push, sends, created_at, count(*) OVER () AS candidates,
                        sum(octet_length(sends)) OVER (ORDER BY created_at DESC, schedule_id)
                            - octet_length(sends) AS bytes_before
                    FROM (
                        SELECT schedule_id, due_at, name, push, sends, created_at
                        FROM schedules
                        WHERE app_id = \(app) AND (\(after?.created)::timestamptz IS NULL
                            OR created_at < \(after?.created)
                            OR created_at = \(after?.created) AND schedule_id > \(after?.id))
                        ORDER BY created_at DESC, schedule_id
                        LIMIT \(Int64(limit) + 1)) page) sized
                WHERE bytes_before < \(ScheduleRows.pageBytes)
                ORDER BY created_at DESC, schedule_id
                LIMIT \(Int64(limit))
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                (schedule: try ScheduleRows.decode(&row), candidates: try row.next(Int64.self))
            }
        }
        return SchedulePage(
            schedules: rows.map(\.schedule), hasMore: rows.first.map { $0.candidates > rows.count } ?? false)
    }

    package func scheduleCount(in app: AppID) async throws -> Int {
        let count = try await faults {
            try await pipelines.reads.row(
                "SELECT count(*) FROM schedules WHERE app_id = \(app)", scope: Self.scope(app)
            ) { (row) throws(PostgresError) in try row.next(Int64.self) }
        }
        return Int(count ?? 0)
    }

    package func replace(_ schedule: Schedule, in app: AppID, by actor: String) async throws -> Bool {
        let line = AuditLine(actor: actor, action: "schedule.change", subject: schedule.id.text)
        let replacement: SQL = """
            UPDATE schedules
            SET due_at = \(schedule.due), name = \(schedule.name), push = \(schedule.pushJSON),
                sends = \(try StoredForm.text(schedule.pushes))
            WHERE app_id = \(app) AND schedule_id = \(schedule.id)
            RETURNING 1
            """
        return try await write(
            [line.statement(in: app, ifAny: replacement)], for: app, changing: .none, on: pipelines.sends)[0]
            .affected == 1
    }

    package func delete(_ id: ScheduleID, in app: AppID, by actor: String) async throws -> Bool {
        let line = AuditLine(actor: actor, action: "schedule.delete", subject: id.text)
        let deletion: SQL =
            "DELETE FROM schedules WHERE app_id = \(app) AND schedule_id = \(id) RETURNING 1"
        return try await write(
            [line.statement(in: app, ifAny: deletion)], for: app, changing: .none, on: pipelines.sends)[0]
            .affected == 1
    }
}

// Sending what is due.
extension PostgresStore: DueStore {
    package func dueSchedules(without others: [ScheduleID], limit: Int) async throws -> [DueSchedule] {
        try await faults {
            try await pipelines.lookups.rows(
                """
                SELECT app_id, schedule_id, ceil(extract(epoch FROM due_at - martlet_now()) * 1000)::bigint
                FROM schedules
                WHERE due_at <= martlet_now() + interval '1 second' AND schedule_id <> ALL(\(others))
                ORDER BY due_at, schedule_id
                LIMIT \(Int64(limit))
                """, scope: nil
            ) { (row) throws(PostgresError) in
                DueSchedule(
                    app: try row.next(), id: try row.next(),
                    wait: .milliseconds(try row.next(Int64.self)))
            }
        }
    }

    /// One transaction: the schedule's row goes and its messages come; whoever finds the row gone or changed does nothing.
    package func fire(_ id: ScheduleID, of app: AppID) async throws -> Bool {
        guard let (schedule, stored, mode) = try await dueSchedule(id, of: app) else { return false }
        var items: [SendBatch.Item] = []
        for send in schedule.sends {
            items.append(SendBatch.Item(send: send, unknown: [], way: try await way(of: send, in: app, mode)))
        }
        let batch = try SendBatch(items, in: app, as: SendTerms(actor: "server"), limits: limits)
        do {
            _ = try await write(
                [ScheduleRows.claim(schedule, stored: stored, in: app)] + batch.statements, for: app,
                changing: batch.changedViews, on: pipelines.sends)
            return true
        } catch let forestalled as Forestalled where forestalled.name == ScheduleRows.forestalledBy {
            return false
        }
    }

    private func dueSchedule(
        _ id: ScheduleID, of app: AppID
    ) async throws -> (schedule: Schedule, stored: String, mode: DeliveryMode)? {
        try await faults {
            try await pipelines.reads.row(
                """
                SELECT s.schedule_id, s.due_at, s.name, s.push, s.sends, s.created_at, s.sends, a.delivery_mode
                FROM schedules s
                JOIN apps a ON a.app_id = s.app_id
                WHERE s.app_id = \(app) AND s.schedule_id = \(id)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in
                (schedule: try ScheduleRows.decode(&row), stored: try row.next(), mode: try row.next())
            }
        }
    }
}

/// The rows of schedules, which hold what is sent in its stored form.
enum ScheduleRows {
    /// Most bytes of a page, besides those of its last schedule.
    static let pageBytes: Int64 = 4 << 20

    static func insert(
        _ schedules: [Schedule], in app: AppID, by actor: String, limits: Limits
    ) throws -> [SQL] {
        [
            // Held, so that of two at once the second counts what the first has made.
            "SELECT 1 FROM apps WHERE app_id = \(app) FOR NO KEY UPDATE",
            """
            INSERT INTO schedules (app_id, schedule_id, due_at, name, push, sends, created_at)
            SELECT \(app), s.schedule_id, s.due_at, nullif(s.name, ''), s.push, s.sends, s.created_at
            FROM unnest(\(schedules.map(\.id)), \(schedules.map(\.due)), \(schedules.map { $0.name ?? "" }),
                \(schedules.map(\.pushJSON)), \(try schedules.map { try StoredForm.text($0.pushes) }),
                \(schedules.map(\.created))) s (schedule_id, due_at, name, push, sends, created_at)
            """,
            """
            SELECT martlet_hold('schedules_per_app', count(*), \(Int64(limits.schedulesPerApp)))
            FROM schedules
            WHERE app_id = \(app)
            """,
            """
            INSERT INTO audit (app_id, actor, action, subject, detail)
            SELECT \(app), \(actor), 'schedule.create', s.schedule_id::text, jsonb_build_object(
                'scheduled_time', to_char(s.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            FROM unnest(\(schedules.map(\.id)), \(schedules.map(\.due))) s (schedule_id, due_at)
            """,
        ]
    }

    /// What `martlet_forestalled` says of a schedule that is gone, changed or not due.
    static let forestalledBy = "schedule"

    /// Takes the schedule away as it was read, or fails the transaction.
    static func claim(_ schedule: Schedule, stored: String, in app: AppID) -> SQL {
        """
        WITH claimed AS (
            DELETE FROM schedules
            WHERE app_id = \(app) AND schedule_id = \(schedule.id) AND due_at <= martlet_now()
                AND sends = \(stored) AND push = \(schedule.pushJSON)
            RETURNING 1
        )
        SELECT martlet_forestalled(\(forestalledBy)) WHERE NOT EXISTS (SELECT FROM claimed)
        """
    }

    /// Reads `schedule_id, due_at, name, push, sends, created_at`.
    static func decode(_ row: inout Row) throws(PostgresError) -> Schedule {
        let id = try row.next(ScheduleID.self)
        let due = try row.next(Instant.self)
        let name = try row.next(String?.self)
        let push = try row.next(String.self)
        let sends = try row.next(String.self)
        do {
            return Schedule(
                id: id, due: due, name: name, pushJSON: push,
                pushes: try StoredForm.value([ScheduledPush].self, of: sends), created: try row.next())
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(
                .decoding, "schedule \(id.text) is kept in a form that this version does not know")
        }
    }
}
