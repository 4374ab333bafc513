import Foundation
import HTTPCore
import Testing

/// The API's own description, judged by a published program.
@Suite struct DocumentTests {
    @Test func `the document is valid OpenAPI 3.1`() async throws {
        try await withServer { _, server, _ in
            let document = try await server.call(.get, "/v1/openapi.json", "", "")
            try #require(document.status == 200)
            let outcome = try await Program.run(
                try python(), ["-m", "openapi_spec_validator", "-"], input: document.body)
            #expect(outcome.code == 0, "\(outcome.output)\n\(outcome.errors)")
        }
    }
}

/// The interpreter that `./test` has prepared, with the packages that tests drive.
func python() throws -> String {
    if let path = ProcessInfo.processInfo.environment["MARTLET_TEST_PYTHON"] { return path }
    let path = ".venv/bin/python"
    try #require(FileManager.default.isExecutableFile(atPath: path), "`./test` makes .venv")
    return path
}
