import Postgres
import TestSupport

/// Gives `body` a pipeline whose connection goes through a proxy.
func withProxy(
    _ mode: Pipeline.Mode, _ body: @escaping @Sendable (Pipeline, Proxy, AdminConnection) async throws -> Void
) async throws {
    try await withProxy { through, proxy, url in
        try await withPipeline(mode, to: through) { pipeline in
            try await body(pipeline, proxy, try AdminConnection(url))
        }
    }
}

/// Gives `body` the way through a proxy to a database of its own, and that database's URL.
func withProxy(
    _ body:
        @escaping @Sendable (_ through: ConnectionConfiguration, Proxy, _ url: String) async throws -> Void
) async throws {
    try await withDatabase(counters) { url in
        try await Proxy.open(to: url) { proxy in
            try await body(ConnectionConfiguration(proxy.connectionString), proxy, url)
        }
    }
}
