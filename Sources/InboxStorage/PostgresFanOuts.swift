package import Foundation
package import InboxModel
package import InboxService
package import Postgres

/// Fan-outs over SQL, confined to the loop of its pipelines.
package final class PostgresFanOuts: FanOutStore {
    private let lookups: Pipeline
    private let walks: Pipeline
    private let chunks: Pipeline
    private let hints: Hints

    /// - Parameters:
    ///   - lookups: of role `martlet_lookup`.
    ///   - walks: of role `martlet_app`, to find out who is next.
    ///   - chunks: for writes, of the same role, with `PostgresStore.chunkPlans`.
    ///   - hints: told of every inbox that gets a message.
    package init(lookups: Pipeline, walks: Pipeline, chunks: Pipeline, hints: Hints = Hints()) {
        self.lookups = lookups
        self.walks = walks
        self.chunks = chunks
        self.hints = hints
    }

    package func openFanOuts(for runner: UUID, most: Int) async throws -> [FanOutID] {
        try await faults {
            try await lookups.rows(
                """
                SELECT app_id, message_id
                FROM (
                    SELECT app_id, message_id, created_at,
                        row_number() OVER (PARTITION BY app_id ORDER BY created_at, message_id) AS turn
                    FROM fanouts
                    WHERE runs_until IS NULL OR runner = \(runner) OR runs_until <= martlet_now()) f
                ORDER BY turn, created_at, app_id
                LIMIT \(Int64(most))
                """, scope: nil
            ) { (row) throws(PostgresError) in FanOutID(app: try row.next(), message: try row.next()) }
        }
    }

    package func fanOut(_ id: FanOutID) async throws -> FanOut? {
        let found = try await faults {
            try await walks.row(
                """
                SELECT f.audience, m.device_types, f.delivery_mode, f.reaches_people, f.position
                FROM fanouts f
                JOIN messages m ON m.app_id = f.app_id AND m.message_id = f.message_id
                WHERE f.app_id = \(id.app) AND f.message_id = \(id.message)
                """, scope: PostgresStore.scope(id.app)
            ) { (row) throws(PostgresError) in
                let (audience, types) = (try row.next(String.self), try row.next(DeviceTypes.self))
                let (mode, reachesPeople) = (try row.next(DeliveryMode.self), try row.next(Bool?.self))
                let fanOut = FanOut(
                    id: id, audience: .everyone, deviceTypes: types, deliveryMode: mode,
                    reachesPeople: reachesPeople ?? true, position: try row.next())
                return (audience, fanOut, isOld: reachesPeople == nil)
            }
        }
        guard let found else { return nil }
        var fanOut = found.1
        do {
            fanOut.audience = try StoredForm.value(of: found.0)
        } catch {
            // A newer version has stored it, and will go on with it.
            throw StoreFault.broken("the audience of a fan-out has an unknown form")
        }
        // As it began: by a rule under which only people who are named have messages of their own.
        if found.isOld, !fanOut.audience.isPlain || fanOut.audience.namesTags {
            fanOut.deliveryMode = .devices
        }
        return fanOut
    }

    package func candidates(of fanOut: FanOut, most: Int) async throws -> [InboxID] {
        let query = AudienceQuery(fanOut, after: fanOut.position)
        let found = try await faults {
            try await walks.row(
                """
                SELECT array_agg(inbox_id)
                FROM (
                    SELECT inbox_id FROM (\(query.recipients(fanOut.deliveryMode))) t
                    ORDER BY inbox_id
                    LIMIT \(Int64(most))) w
                """, scope: PostgresStore.scope(fanOut.id.app)
            ) { (row) throws(PostgresError) in try row.next([InboxID]?.self) }
        }
        return (found ?? nil) ?? []
    }

    package func deliver(
        _ fanOut: FanOut, to inboxes: [InboxID], by runner: UUID
    ) async throws -> ChunkOutcome {
        let chunk = FanOutChunk(fanOut: fanOut, inboxes: inboxes, runner: runner)
        do {
            try await commit(chunk)
            return .delivered
        } catch let forestalled as Forestalled {
            guard forestalled.name == FanOutChunk.over else { return .forestalled }
            try await end(fanOut.id)
            return .over
        }
    }

    package func finish(_ fanOut: FanOut, by runner: UUID) async throws {
        let id = fanOut.id
        try await write(
            [
                """
                DELETE FROM fanouts
                WHERE app_id = \(id.app) AND message_id = \(id.message) AND position = \(fanOut.position)
                    AND (runner IS NULL OR runner = \(runner) OR runs_until <= martlet_now())
                """
            ], in: id.app)
    }

    package func release(_ fanOuts: [FanOutID], by runner: UUID) async throws {
        for (app, ids) in Dictionary(grouping: fanOuts, by: \.app).sorted(by: {
            $0.key.rawValue < $1.key.rawValue
        }) {
            try await write(
                [
                    """
                    UPDATE fanouts SET runner = NULL, runs_until = NULL
                    WHERE app_id = \(app) AND message_id = ANY(\(ids.map(\.message))) AND runner = \(runner)
                    """
                ], in: app)
        }
    }

    /// Takes it that no inbox has the message yet, which costs less to insert; where that is wrong, nothing was done.
    private func commit(_ chunk: FanOutChunk) async throws {
        let app = chunk.fanOut.id.app
        do {
            try await write(chunk.statements(), in: app, changing: .returned)
        } catch is HeldAlready {
            try await write(
                chunk.statements(onConflict: "ON CONFLICT DO NOTHING"), in: app, changing: .returned)
        }
    }

    /// Forgets a fan-out wherever it stands.
    private func end(_ id: FanOutID) async throws {
        try await write(
            ["DELETE FROM fanouts WHERE app_id = \(id.app) AND message_id = \(id.message)"], in: id.app)
    }

    private func write(
        _ statements: [SQL], in app: AppID, changing views: ChangedViews = .none
    ) async throws {
        try await faults {
            let results = try await chunks.write(Write(scope: PostgresStore.scope(app), statements))
            try views.tell(hints, of: app, results)
        }
    }

    private func faults<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch let error as PostgresError {
            if error.sqlState == Forestalled.sqlState { throw Forestalled(name: error.message) }
            if error.kind == .constraint("deliveries_pkey") { throw HeldAlready() }
            throw StoreFault(error)
        }
    }
}

/// An inbox of a chunk has the message: its deliveries came from one that the fan-out had reached before.
private struct HeldAlready: Error {}
