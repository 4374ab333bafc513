import EventLoop
import Postgres
import TestSupport
import Testing

struct ScopeTests {
    private static let current: SQL = "SELECT current_setting('martlet.app_id', true)"

    private static func app(_ value: String) -> Scope {
        Scope(setting: "martlet.app_id", value: value)
    }

    @Test func `each statement of a pass runs under its own scope`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            let values = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    let app = "\(number % 3)"
                    group.addTask { try await pipeline.value(Self.current, scope: Self.app(app)) == app }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(values == Array(repeating: true, count: 60))
        }
    }

    @Test func `a scope that the connection has is not set again`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            let scope = Self.app("7")
            let first: String = try await pipeline.value(Self.current, scope: scope)
            // Behind the pipeline's back: what it does not set stays.
            _ = try await pipeline.value(
                "SELECT set_config('martlet.app_id', 'mark', false)", as: String.self)
            let second: String = try await pipeline.value(Self.current, scope: scope)
            #expect([first, second] == ["7", "mark"])
        }
    }

    @Test func `after an error the scope is set again`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            for app in ["1", "2", "2", "1"] {
                let scope = Self.app(app)
                let error = await failure {
                    _ = try await pipeline.value(
                        "SELECT 1 / n FROM counters WHERE id = 1", scope: scope, as: Int32.self)
                }
                #expect(error?.sqlState == "22012")
                let current: String = try await pipeline.value(Self.current, scope: scope)
                #expect(current == app)
            }
        }
    }

    @Test func `a batch in flight that fails does not leave the next one in another's scope`() async throws {
        try await withPipeline(.counterWrites) { pipeline, _ in
            _ = try await pipeline.write(Write(scope: Self.app("1"), [Self.current]))
            // Sets 2, then fails after the next batch has been sent.
            async let failing = failure {
                _ = try await pipeline.write(
                    Write(scope: Self.app("2"), ["SELECT FROM pg_sleep(0.1)", "UPDATE counters SET n = -1"]))
            }
            try await pipeline.loop.sleep(for: .milliseconds(20))
            let results = try await pipeline.write(Write(scope: Self.app("2"), [Self.current]))
            #expect(try results[0].value(String.self) == "2")
            #expect(await failing?.kind == .constraint("counters_n_check"))
        }
    }

    @Test func `writes of several scopes are committed in one turn`() async throws {
        try await withPipeline(.counterWrites) { pipeline, _ in
            _ = try await pipeline.write(.add(1, to: 1))
            let statement = Self.current + ", pg_current_xact_id()::text"
            async let second = pipeline.write(Write(scope: Self.app("2"), [statement]))
            async let first = pipeline.write(Write(scope: Self.app("1"), [statement]))
            let rows = try await [first, second].map { results in
                try results[0].rows { (row) throws(PostgresError) in
                    (try row.next(String.self), try row.next(String.self))
                }[0]
            }
            #expect(rows.map(\.0) == ["1", "2"])
            #expect(rows[0].1 == rows[1].1)
        }
    }

    @Test func `row-level security sees the scope under the pipeline's role`() async throws {
        let template = Template("tenants") { url in
            try AdminConnection(url).script(
                """
                CREATE TABLE notes (app_id integer, text text);
                INSERT INTO notes VALUES (1, 'one'), (2, 'two');
                ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
                CREATE POLICY tenant ON notes
                    USING (app_id = NULLIF(current_setting('martlet.app_id', true), '')::integer);
                """)
        }
        try await withRole { role in
            try await withDatabase(template) { url in
                try AdminConnection(url).script("GRANT SELECT ON notes TO \(role)")
                var configuration = try ConnectionConfiguration(url)
                configuration.role = role
                try await withPipeline(.reads, to: configuration) { pipeline in
                    let notes: SQL = "SELECT coalesce(string_agg(text, ','), '') FROM notes"
                    let seen: [String] = [
                        try await pipeline.value(notes),
                        try await pipeline.value(notes, scope: Self.app("2")),
                        try await pipeline.value("SELECT current_user::text"),
                    ]
                    #expect(seen == ["", "two", role])
                }
            }
        }
    }
}

/// Makes a role of the test's own; roles belong to the cluster, not to the database.
private func withRole(_ body: (String) async throws -> Void) async throws {
    let role = "worker_\(UInt32.random(in: .min ... .max))"
    try await withDatabase { url in
        try AdminConnection(url).script("CREATE ROLE \(role)")
        try await body(role)
        try AdminConnection(url).script("DROP ROLE \(role)")
    }
}
