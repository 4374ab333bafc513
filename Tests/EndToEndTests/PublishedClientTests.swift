import Foundation
import Testing

/// The published Python package, unchanged but for its base URL, against the real program.
@Suite struct PublishedClientTests {
    @Test func `the published Python client sends, looks up and gets our errors`() async throws {
        try await withServer { installation, server, _ in
            let app = try await installation.makeApp("Published", "--preset", "airship")
            let outcome = try await Program.run(
                try python(), [script("python_client.py")], app.environment(server))
            #expect(outcome.code == 0, "\(outcome.output)\n\(outcome.errors)")
        }
    }
}
