import Foundation
import Testing

@testable import martlet

/// `.env.example` is the reference of what the environment can say.
@Suite struct ExampleEnvironmentTests {
    @Test func `it names every variable that the server reads, and no other`() throws {
        let named = try Set(
            ExampleEnvironmentTests.lines().compactMap { line in
                line.firstMatch(of: /^#?([A-Z_]+)=/).map { String($0.1) }
            })
        let read = Set(Command.serve.options.flatMap(\.allVariables))
        #expect(named == read)
    }

    @Test func `it has the defaults of the server`() throws {
        let lines = try ExampleEnvironmentTests.lines()
        for option in Command.serve.options {
            guard let variable = option.variables.first, let fallback = option.fallback,
                !fallback.contains(" ")
            else { continue }
            #expect(lines.contains("#\(variable)=\(fallback)"), "\(variable)")
        }
    }

    private static func lines() throws -> [String] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../.env.example")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
