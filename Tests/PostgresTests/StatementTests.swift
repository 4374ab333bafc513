import Testing

@testable import Postgres

struct StatementCacheTests {
    private static func key(_ number: Int) -> SQL.Key {
        let sql = (0..<number).reduce(into: "SELECT 1" as SQL) { sql, _ in sql.append(", 1") }
        return sql.key
    }

    @Test func `a statement is prepared once`() {
        var cache = StatementCache(capacity: 9)
        #expect(cache.entry(for: Self.key(1)) == StatementCache.Entry(name: "s1", isNew: true))
        #expect(cache.entry(for: Self.key(1)) == StatementCache.Entry(name: "s1", isNew: false))
        #expect(cache.entry(for: Self.key(2)) == StatementCache.Entry(name: "s2", isNew: true))
    }

    @Test func `the statement that was not used for longest makes room`() {
        var cache = StatementCache(capacity: 2)
        for number in [1, 2, 1, 3] { _ = cache.entry(for: Self.key(number)) }
        #expect(cache.takeDropped() == ["s2"])
        #expect(cache.takeDropped() == [])
        #expect(cache.entry(for: Self.key(1)).isNew == false)
        #expect(cache.entry(for: Self.key(2)).isNew)
    }

    @Test func `what the server lost is prepared again under another name`() {
        var cache = StatementCache(capacity: 2)
        let name = cache.entry(for: Self.key(1)).name
        cache.forget(Self.key(1), name: name)
        #expect(cache.entry(for: Self.key(1)) == StatementCache.Entry(name: "s2", isNew: true))
        cache.forget(Self.key(1), name: name)  // news about the old name
        #expect(cache.entry(for: Self.key(1)).isNew == false)
    }
}

struct ScopeTrackerTests {
    private let scope = Scope(setting: "martlet.app_id", value: "1")

    @Test func `a scope is certain once its batch is committed`() {
        var tracker = ScopeTracker()
        tracker.sent(changingTo: scope)
        #expect(tracker.certain == nil)
        tracker.settled(changingTo: scope, isCommitted: true)
        #expect(tracker.certain == scope)
        tracker.sent(changingTo: nil)
        tracker.settled(changingTo: nil, isCommitted: true)
        #expect(tracker.certain == scope)
    }

    @Test func `a scope is not certain while another is on its way`() {
        var tracker = ScopeTracker()
        tracker.sent(changingTo: scope)
        tracker.sent(changingTo: Scope(setting: "martlet.app_id", value: "2"))
        tracker.settled(changingTo: scope, isCommitted: true)
        #expect(tracker.certain == nil)
        tracker.settled(changingTo: Scope(setting: "martlet.app_id", value: "2"), isCommitted: false)
        #expect(tracker.certain == nil)
    }

    @Test func `any error makes it uncertain`() {
        var tracker = ScopeTracker()
        tracker.sent(changingTo: scope)
        tracker.settled(changingTo: scope, isCommitted: true)
        tracker.sent(changingTo: nil)
        tracker.settled(changingTo: nil, isCommitted: false)
        #expect(tracker.certain == nil)
    }
}

struct PreparedStatementTests {
    private static let prepared: SQL =
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%seven%'"

    @Test func `a statement stays prepared on its connection`() async throws {
        try await withPipelineOfTests { pipeline in
            var values: [Int64] = []
            for number in Int64(1)...3 {
                values.append(try await pipeline.value("SELECT \(number) AS seven"))
            }
            let count: Int64 = try await pipeline.value(Self.prepared)
            #expect(values == [1, 2, 3])
            #expect(count == 2)  // and the one that counts
        }
    }

    @Test func `generated statements do not pile up on the server`() async throws {
        var limits = PipelineLimits.reads
        limits.preparedStatements = 4
        try await withPipelineOfTests(limits) { pipeline in
            var sql: SQL = "SELECT 1 AS seven"
            for _ in 0..<20 {
                sql.append(", 1")
                _ = try await pipeline.result(of: sql)
            }
            let count: Int64 = try await pipeline.value(Self.prepared)
            #expect(count <= 5)
        }
    }

    @Test func `a prepare that an error aborted is made up for`() async throws {
        try await withPipelineOfTests { pipeline in
            _ = try await pipeline.result(of: "SELECT 1")
            async let failing = failure { _ = try await pipeline.result(of: "SELECT no_such_column") }
            async let first: Int32 = pipeline.value("SELECT 71")
            async let second: Int32 = pipeline.value("SELECT 72")
            let values = try await [first, second]
            #expect(values == [71, 72])
            #expect(await failing?.sqlState == "42703")
        }
    }

    @Test func `a statement that the server has forgotten is prepared again`() async throws {
        try await withPipelineOfTests { pipeline in
            let seven: @Sendable () async throws -> Int32 = { try await pipeline.value("SELECT 7") }
            _ = try await seven()
            _ = try await pipeline.result(of: "DEALLOCATE ALL")
            let alone = try await seven()
            _ = try await pipeline.result(of: "DEALLOCATE  ALL")
            async let first = seven()
            async let second = seven()
            let values = try await [alone, first, second]
            #expect(values == [7, 7, 7])
        }
    }

    @Test func `a statement whose table has changed runs on`() async throws {
        try await withPipeline(.reads) { pipeline, other in
            let all: @Sendable () async throws -> Int = {
                try await pipeline.result(of: "SELECT counters.* FROM counters").count
            }
            _ = try await all()
            try other.script("ALTER TABLE counters ADD COLUMN more text")
            let count = try await all()
            #expect(count == 9)
        }
    }
}

private func withPipelineOfTests(
    _ limits: PipelineLimits? = nil, _ body: @escaping @Sendable (Pipeline) async throws -> Void
) async throws {
    try await withPipeline(.reads, limits: limits) { pipeline, _ in try await body(pipeline) }
}
