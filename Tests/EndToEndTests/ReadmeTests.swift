import Foundation
import HTTPCore
import Testing

/// A newcomer's first minutes.
@Suite struct ReadmeTests {
    @Test func `the first message of the README arrives, by its lines as printed`() async throws {
        try await Installation.with { installation in
            try await installation.serve { server in
                // All that differs from what is printed: where the program lies, and a port that is free.
                let script = try lines(under: "## A first message")
                    .replacing(
                        "$PWD/.build/release",
                        with: Program.url(of: "martlet").deletingLastPathComponent().path
                    )
                    .replacing("http://127.0.0.1:8080", with: "\(server.base)")
                let outcome = try await Program.run(
                    "/bin/bash", ["-euo", "pipefail", "-c", script], installation.environment)
                #expect(outcome.code == 0, "\(outcome.errors)")
                #expect(outcome.output.contains(#""state":"sent""#))
                #expect(outcome.output.contains(#""title":"Hello""#))
                #expect(outcome.output.contains("sent to 1 recipient"))
                #expect(outcome.output.contains("would reach 1 recipient; nothing was sent"))
                #expect(outcome.output.contains("Hello again"))
            }
        }
    }

    @Test func `every file that the README names exists`() throws {
        for link in try text().matches(of: /\]\(([^)#:]+)\)/) {
            let file = ReadmeTests.root.appendingPathComponent(String(link.1))
            #expect(FileManager.default.fileExists(atPath: file.path), "\(link.1)")
        }
    }

    /// The code blocks of a section, one after another.
    private func lines(under heading: String) throws -> String {
        let sections = try text().split(separator: "\n## ", omittingEmptySubsequences: false)
        let section = try #require(sections.first { "## \($0)".hasPrefix(heading) })
        return section.matches(of: /```sh\n((?:.|\n)*?)```/).map { String($0.1) }.joined()
    }

    private func text() throws -> String {
        try String(contentsOf: ReadmeTests.root.appendingPathComponent("README.md"), encoding: .utf8)
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
