import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

struct WriteTests {
    @Test func `a write is durable when it returns`() async throws {
        try await withPipeline(.counterWrites) { pipeline, other in
            let results = try await pipeline.write(
                Write(
                    locks: [1],
                    ["UPDATE counters SET n = 5 WHERE id = 1", "SELECT n FROM counters WHERE id = 1"]))
            #expect(results[0].affected == 1)
            #expect(try results[1].value(Int32.self) == 5)
            #expect(try other.counter(1) == 5)
        }
    }

    @Test func `writes of one turn share one transaction`() async throws {
        try await withPipeline(.counterWrites) { pipeline, _ in
            let transaction: SQL = "SELECT pg_current_xact_id()::text::bigint"
            _ = try await pipeline.write(.add(1, to: 1))  // connected
            async let first = pipeline.write(Write([transaction]))
            async let second = pipeline.write(Write([transaction]))
            let ids = try await [first, second].map { try $0[0].value(Int64.self) }
            #expect(ids[0] == ids[1])
        }
    }

    @Test func `a turn locks all rows first, in ascending order`() async throws {
        let locked = Lock<[[Int64]]>([])
        let mode = Pipeline.Mode.writes { keys in
            locked.withLock { $0.append(keys) }
            return "SELECT FROM counters WHERE id = ANY(\(keys)) ORDER BY id FOR NO KEY UPDATE"
        }
        try await withPipeline(mode) { pipeline, _ in
            _ = try await pipeline.write(.add(1, to: 1))
            async let first = pipeline.write(Write(locks: [7, 3], ["SELECT 1"]))
            async let second = pipeline.write(Write(locks: [5, 3], ["SELECT 1"]))
            async let none = pipeline.write(Write(["SELECT 1"]))
            _ = try await (first, second, none)
        }
        #expect(locked.withLock { $0 } == [[1], [3, 5, 7]])
    }

    @Test func `an error in a turn leaves the other writes done exactly once`() async throws {
        try await withPipeline(.counterWrites) { pipeline, other in
            _ = try await pipeline.write(.add(1, to: 9))
            async let first = pipeline.write(.add(1, to: 1))
            async let failing = failure { _ = try await pipeline.write(.add(-1, to: 2)) }
            async let third = pipeline.write(.add(1, to: 3))
            _ = try await (first, third)
            #expect(await failing?.kind == .constraint("counters_n_check"))
            #expect(
                try other.rows("SELECT n FROM counters ORDER BY id") { (row) throws(PostgresError) in
                    try row.next(Int32.self)
                } == [1, 0, 1, 0, 0, 0, 0, 0, 1])
        }
    }

    @Test func `a write of several statements is done whole or not at all`() async throws {
        try await withPipeline(.counterWrites) { pipeline, other in
            let write = Write([
                "UPDATE counters SET n = 1 WHERE id = 1", "UPDATE counters SET n = -1 WHERE id = 2",
            ])
            let error = await failure { _ = try await pipeline.write(write) }
            #expect(error?.kind == .constraint("counters_n_check"))
            let first = try other.counter(1)
            #expect(first == 0)
        }
    }

    @Test func `many writes in many turns are each done once`() async throws {
        try await withPipeline(.counterWrites) { pipeline, other in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in Int64(0)..<200 {
                    group.addTask { _ = try await pipeline.write(.add(1, to: number % 4 + 1)) }
                }
                try await group.waitForAll()
            }
            #expect(try (1...4).map { try other.counter($0) } == [50, 50, 50, 50])
        }
    }

    @Test func `a row that stays locked ends in a lock time-out`() async throws {
        try await withPipeline(.counterWrites, configure: { $0.lockWithin = .milliseconds(20) }) {
            pipeline, other in
            try other.script("BEGIN; UPDATE counters SET n = 0 WHERE id = 1")
            async let blocked = failure { _ = try await pipeline.write(.add(1, to: 1)) }
            async let free = pipeline.write(.add(1, to: 2))
            _ = try await free
            #expect(await blocked?.kind == .lockTimeout)
            try other.script("ROLLBACK")
            #expect(try other.counter(1) == 0)
            #expect(try other.counter(2) == 1)
        }
    }

    @Test func `a row of one scope that stays locked holds up no other scope for long`() async throws {
        var limits = PipelineLimits.writes
        limits.inFlight = 1
        limits.waitWithin = .seconds(60)  // all repeats of twelve, on however slow a machine
        try await withPipeline(
            .counterWrites, limits: limits, configure: { $0.lockWithin = .milliseconds(50) }
        ) { pipeline, other in
            try other.script("BEGIN; UPDATE counters SET n = 0 WHERE id = 1")
            let failed = Lock(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let error = await failure { _ = try await pipeline.write(.add(1, to: 1)) }
                        #expect(error?.kind == .lockTimeout)
                        failed.withLock { $0 += 1 }
                    }
                }
                for id in Int64(2)...4 {
                    let statement: SQL = "UPDATE counters SET n = n + 1 WHERE id = \(id)"
                    let write = Write(
                        scope: Scope(setting: "test.app", value: "\(id)"), locks: [id], [statement])
                    for _ in 0..<3 { _ = try await pipeline.write(write) }
                    #expect(
                        failed.withLock { $0 } == 0, "others had their turns before all repeats were over")
                }
                try await group.waitForAll()
            }
            try other.script("ROLLBACK")
            #expect(try (1...4).map { try other.counter($0) } == [0, 3, 3, 3])
        }
    }

    @Test func `a row that is unlocked in time is written by a repeat`() async throws {
        try await withPipeline(.counterWrites, configure: { $0.lockWithin = .milliseconds(100) }) {
            pipeline, other in
            try other.script("BEGIN; UPDATE counters SET n = 0 WHERE id = 1")
            let once = Write(canRepeat: false, ["UPDATE counters SET n = 9 WHERE id = 1"])
            #expect(await failure { _ = try await pipeline.write(once) }?.kind == .lockTimeout)
            async let blocked = pipeline.write(.add(1, to: 1))
            async let released: Void = pipeline.loop.sleep(for: .milliseconds(130))
            try await released
            try other.script("ROLLBACK")
            _ = try await blocked
            #expect(try other.counter(1) == 1)
        }
    }

    @Test func `a write whose look at a row was overtaken by its deletion runs again, and finds it gone`()
        async throws
    {
        try await withPipeline(.counterWrites) { pipeline, other in
            try other.script("CREATE TABLE notes (counter int REFERENCES counters (id))")
            let note = Write(["INSERT INTO notes SELECT id FROM counters WHERE id = 1"])
            #expect(try await pipeline.write(note)[0].affected == 1)
            try other.script("DELETE FROM notes; BEGIN; DELETE FROM counters WHERE id = 1")
            async let waiting = pipeline.write(note)
            async let released: Void = pipeline.loop.sleep(for: .milliseconds(50))
            try await released
            try other.script("COMMIT")
            #expect(try await waiting[0].affected == 0)
            let broken = Write(["INSERT INTO notes VALUES (1)"])
            #expect(
                await failure { _ = try await pipeline.write(broken) }?.kind
                    == .constraint("notes_counter_fkey"))
        }
    }

    @Test func `a write that fails as it commits is refused, and what shared its turn is done once`()
        async throws
    {
        try await withPipeline(.counterWrites) { pipeline, other in
            try other.script("CREATE TABLE late (id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            _ = try await pipeline.write(Write(["INSERT INTO late VALUES (1)"]))
            async let failing = failure {
                _ = try await pipeline.write(Write(["INSERT INTO late VALUES (1)"]))
            }
            async let sharing = pipeline.write(.add(1, to: 2))
            _ = try await sharing
            #expect(await failing?.kind == .constraint("late_id_key"))
            let next = try await pipeline.write(Write(["SELECT count(*) FROM late"]))
            #expect(try next[0].value(Int64.self) == 1)
            #expect(try other.counter(2) == 1)
        }
    }

    @Test func `each statement sees what was committed before it, whatever the database's default is`()
        async throws
    {
        try await withDatabase(counters) { url in
            let other = try AdminConnection(url)
            let name: String = try other.value("SELECT current_database()::text")
            try other.script("ALTER DATABASE \(name) SET default_transaction_isolation = 'serializable'")
            let isolation = try await withPipeline(.counterWrites, to: ConnectionConfiguration(url)) {
                pipeline in
                try await pipeline.write(Write(["SHOW transaction_isolation"]))[0].value(String.self)
            }
            #expect(isolation == "read committed")
        }
    }

    @Test func `of two that deadlock both are done in the end`() async throws {
        try await withDatabase(counters) { url in
            let configuration = try ConnectionConfiguration(url)
            try await withLoop { loop in
                let pipelines = (0..<2).map { _ in
                    Pipeline(
                        loop: loop, configuration: configuration, mode: .counterWrites,
                        atConnect: ["SELECT set_config('deadlock_timeout', '20ms', false)"])
                }
                for pipeline in pipelines { pipeline.start() }
                async let left = pipelines[0].write(crossing(1, 2))
                async let right = pipelines[1].write(crossing(2, 1))
                _ = try await (left, right)
                for pipeline in pipelines { await pipeline.close() }
            }
            let other = try AdminConnection(url)
            #expect(try other.counter(1) == 2)
            #expect(try other.counter(2) == 2)
        }
    }
}

/// Adds to two rows, with time for another to lock the second one.
private func crossing(_ first: Int64, _ second: Int64) -> Write {
    Write([
        "UPDATE counters SET n = n + 1 WHERE id = \(first)", "SELECT FROM pg_sleep(0.1)",
        "UPDATE counters SET n = n + 1 WHERE id = \(second)",
    ])
}
