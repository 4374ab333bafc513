import EventLoop
import Foundation
import InboxHTTP
import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import TestSupport
import Testing

extension DeviceStage {
    /// What the clean-up of a process that has just started logs.
    @discardableResult
    func clean(_ faults: FaultPlan = FaultPlan(), times: RetentionTimes = RetentionTimes()) async throws
        -> [String]
    {
        try await withRunner(faults, times: times) { _ = try await $0.step() }
        return faults.log
    }

    /// Gives `body` a runner with a store of its own.
    func withRunner(
        _ faults: FaultPlan = FaultPlan(), times: RetentionTimes = RetentionTimes(),
        _ body: (RetentionRunner) async throws -> Void
    ) async throws {
        let door = try StoreDoor(url, on: shard.loop, Limits())
        let runner = RetentionRunner(
            on: shard.loop, store: FaultyRetention(door.store(), faults), times: times, log: faults.logged)
        do {
            try await body(runner)
        } catch {
            await door.close()
            throw error
        }
        await door.close()
    }

    /// Sets the database's clock forward by days.
    func advance(days: Int, seconds: Int = 0) async throws {
        try await advance(seconds: days * 86_400 + seconds)
    }

    /// How many rows a table has, or a table and a condition.
    func rows(_ table: String) async throws -> Int64 {
        try await onDatabaseThread { [url] in
            try AdminConnection(url).script(
                "DROP TABLE IF EXISTS counted; CREATE TABLE counted AS SELECT count(*) AS n FROM \(table)")
            return try AdminConnection(url).value("SELECT n FROM counted")
        }
    }

    /// Rows of several tables, in their order.
    func rows(of tables: String...) async throws -> [Int64] {
        var counts: [Int64] = []
        for table in tables { counts.append(try await rows(table)) }
        return counts
    }
}

/// A store for the clean-up that fails one call by plan and passes all others on.
private final class FaultyRetention: RetentionStore {
    private let store: PostgresStore
    private let plan: FaultPlan

    init(_ store: sending PostgresStore, _ plan: FaultPlan) {
        self.store = store
        self.plan = plan
    }

    static var purgedAtOnce: Int { PostgresStore.purgedAtOnce }

    func beginRetention(as runner: UUID) async throws -> RetentionRun? {
        try plan.count()
        return try await store.beginRetention(as: runner)
    }

    func keepRetention(as runner: UUID) async throws -> Bool {
        try plan.count()
        return try await store.keepRetention(as: runner)
    }

    func endRetention(as runner: UUID) async throws {
        try plan.count()
        try await store.endRetention(as: runner)
    }

    func purge(_ kind: Purge, in app: AppID, _ times: RetentionTimes) async throws -> Int {
        try plan.count()
        return try await store.purge(kind, in: app, times)
    }

    func inboxes(of app: AppID, after last: InboxID, _ times: RetentionTimes) async throws -> InboxPage {
        try plan.count()
        return try await store.inboxes(of: app, after: last, times)
    }

    func bury(_ inboxes: [InboxID], of app: AppID, _ times: RetentionTimes) async throws -> Int {
        try plan.count()
        return try await store.bury(inboxes, of: app, times)
    }

    func clear(_ inboxes: [InboxID], of app: AppID) async throws -> Int {
        try plan.count()
        return try await store.clear(inboxes, of: app)
    }
}
