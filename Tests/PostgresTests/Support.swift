import EventLoop
import Postgres
import TestSupport

/// A table `counters (id, n)` with the rows 1 to 9, all 0, and a role `worker` that may use it.
let counters = Template("counters") { url in
    let connection = try AdminConnection(url)
    try connection.script(
        """
        CREATE TABLE counters (id bigint PRIMARY KEY, n integer NOT NULL CHECK (n >= 0));
        INSERT INTO counters SELECT i, 0 FROM generate_series(1, 9) i;
        """)
}

/// Gives `body` a pipeline on a loop's thread, to a database of its own, and closes it.
func withPipeline<Success: Sendable>(
    _ mode: Pipeline.Mode, limits: PipelineLimits? = nil, template: Template = counters,
    configure: @escaping @Sendable (inout ConnectionConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (Pipeline, AdminConnection) async throws -> Success
) async throws -> Success {
    try await withDatabase(template) { url in
        var configuration = try ConnectionConfiguration(url)
        configure(&configuration)
        return try await withPipeline(mode, to: configuration, limits: limits) { pipeline in
            try await body(pipeline, try AdminConnection(url))
        }
    }
}

/// Gives `body` a pipeline on a loop's thread, and closes it.
func withPipeline<Success: Sendable>(
    _ mode: Pipeline.Mode, to configuration: ConnectionConfiguration, limits: PipelineLimits? = nil,
    _ body: @escaping @Sendable (Pipeline) async throws -> Success
) async throws -> Success {
    try await withLoop { loop in
        let pipeline = Pipeline(loop: loop, configuration: configuration, mode: mode, limits: limits)
        pipeline.start()
        let result: Result<Success, any Error>
        do { result = .success(try await body(pipeline)) } catch { result = .failure(error) }
        await pipeline.close()
        return try result.get()
    }
}

extension Pipeline.Mode {
    /// Writes that lock rows of `counters`.
    static var counterWrites: Pipeline.Mode {
        .writes { keys in
            "SELECT FROM counters WHERE id = ANY(\(keys)) ORDER BY id FOR NO KEY UPDATE"
        }
    }
}

extension Pipeline {
    /// The first column of the only row.
    func value<Value: PostgresValue & Sendable>(
        _ sql: SQL, scope: Scope? = nil, as type: Value.Type = Value.self
    ) async throws -> Value {
        try await result(of: sql, scope: scope).value(type)
    }
}

extension Write {
    /// Adds to a row of `counters` and locks it before.
    static func add(_ number: Int32, to id: Int64) -> Write {
        Write(locks: [id], ["UPDATE counters SET n = n + \(number) WHERE id = \(id)"])
    }
}

extension AdminConnection {
    /// What a row of `counters` holds.
    func counter(_ id: Int64) throws -> Int32 {
        try value("SELECT n FROM counters WHERE id = \(id)")
    }

    /// Returns when another connection to this database runs a statement that holds `text`.
    ///
    /// - Parameter loop: lets the other connection work meanwhile, which may be the loop's own.
    func untilOthersRun(_ text: String, on loop: EventLoop) async throws {
        let found: SQL = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'
            AND strpos(query, \(text)) > 0
            """
        while try value(found, as: Int64.self) == 0 { try await loop.sleep(for: .milliseconds(1)) }
    }

    /// Ends the other connections to this database.
    func terminateOthers() throws {
        try execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    }
}

/// The error that `body` throws; nil if it throws none of ours.
func failure(of body: () async throws -> Void) async -> PostgresError? {
    do { try await body() } catch { return error as? PostgresError }
    return nil
}
