import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

struct ReadTests {
    @Test func `reads of one pass share one transaction`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            _ = try await pipeline.value("SELECT 1", as: Int32.self)  // connected
            async let first: Instant = pipeline.value("SELECT now()")
            async let second: Instant = pipeline.value("SELECT now()")
            #expect(try await first == second)
            let later: Instant = try await pipeline.value("SELECT now()")
            #expect(try await first < later)
        }
    }

    @Test func `a read that fails leaves the others of its pass alone`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            async let before: Int32 = pipeline.value("SELECT 1")
            async let failing = failure {
                _ = try await pipeline.value("SELECT 1 / n FROM counters WHERE id = 1", as: Int32.self)
            }
            async let after: Int32 = pipeline.value("SELECT 2")
            async let unknown = failure {
                _ = try await pipeline.value("SELECT no_such_column", as: Int32.self)
            }
            let others = try await [before, after]
            #expect(others == [1, 2])
            #expect(await failing?.sqlState == "22012")
            #expect(await unknown?.sqlState == "42703")
        }
    }

    @Test func `more reads than a batch holds are all answered, each with its own rows`() async throws {
        var limits = PipelineLimits.reads
        limits.batch = 7
        try await withPipeline(.reads, limits: limits) { pipeline, _ in
            let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in Int64(1)...100 {
                    group.addTask { try await pipeline.value("SELECT \(number)") }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 5_050)
        }
    }

    @Test func `a reading path stays on the loop`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            _ = try await pipeline.value("SELECT 1", as: Int32.self)
            let before = pipeline.loop.foreignJobs
            for number in Int32(1)...20 {
                #expect(try await pipeline.value("SELECT \(number)") == number)
            }
            #expect(pipeline.loop.foreignJobs == before)
        }
    }

    @Test func `rows arrive in order, and one row or none`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            let rows: [Counter] = try await pipeline.rows("SELECT id, n FROM counters ORDER BY id")
            #expect(rows.map(\.id) == Array(1...9))
            let none: Counter? = try await pipeline.row("SELECT id, n FROM counters WHERE id = 10")
            #expect(none == nil)
        }
    }

    @Test func `an answer as large as many packets arrives whole`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            let text = String(repeating: "ä", count: 1_000_000)
            let back: String = try await pipeline.value("SELECT \(text)")
            #expect(back == text)
        }
    }

    @Test func `requests over the limit are refused at once`() async throws {
        var limits = PipelineLimits.reads
        limits.waiting = 2
        try await withPipeline(.reads, limits: limits) { pipeline, _ in
            var third: PostgresError.Kind?
            await withCheckedContinuation { continuation in
                pipeline.submit("SELECT 1") { _ in }
                pipeline.submit("SELECT 2") { _ in continuation.resume() }
                pipeline.submit("SELECT 3") { result in
                    if case .failure(let error) = result { third = error.kind }
                }
            }
            #expect(third == .overloaded)
            let fourth: Int32 = try await pipeline.value("SELECT 4")
            #expect(fourth == 4)
        }
    }

    @Test func `a statement that takes too long is cancelled, and its neighbours are answered`() async throws
    {
        try await withPipeline(.reads, configure: { $0.statementWithin = .milliseconds(100) }) {
            pipeline, _ in
            async let slow = failure {
                _ = try await pipeline.value("SELECT 1 FROM pg_sleep(30)", as: Int32.self)
            }
            async let quick: Int32 = pipeline.value("SELECT 2")
            #expect(await slow?.kind == .timedOut)
            let other = try await quick
            #expect(other == 2)
        }
    }

    @Test func `a session has the deadlines that its pipeline promises`() async throws {
        try await withPipeline(.reads, configure: { $0.statementWithin = .seconds(3) }) { pipeline, _ in
            let statement: String = try await pipeline.value("SELECT current_setting('statement_timeout')")
            let lock: String = try await pipeline.value("SELECT current_setting('lock_timeout')")
            #expect([statement, lock] == ["3s", "200ms"])
        }
    }

    @Test func `errors name no value`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            let secret = "hunter2"
            let error = await #expect(throws: PostgresError.self) {
                _ = try await pipeline.value("SELECT \(secret)::text::integer", as: Int32.self)
            }
            #expect(error?.description.contains(secret) == false)
        }
    }
}

private struct Counter: RowDecodable, Equatable {
    let id: Int64
    let n: Int32

    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        n = try row.next()
    }
}
