import Foundation
import Testing

@testable import martlet

@Suite struct ExampleEnvironmentTests {
    @Test func `the example of an environment lists every variable`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: ".env.example")
        let expected = text(of: Martlet.commands.flatMap(\.allOptions))
        if ProcessInfo.processInfo.environment["MARTLET_RECORD"] != nil {
            try expected.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == expected)
    }

    private func text(of options: [Option]) -> String {
        var seen: Set<String> = []
        let entries = options.filter { !$0.variables.isEmpty && seen.insert($0.name).inserted }.map(entry)
        let head = """
            # What martlet reads from its environment; each is an option of its commands too, which counts first.
            # Where a _FILE stands below a variable, that one may name a file that holds the value instead.

            """
        return ([head] + entries).joined(separator: "\n")
    }

    private func entry(of option: Option) -> String {
        let fallback = option.fallback.map { " (default \($0))" } ?? ""
        let repeated = option.isRepeated ? "; several, separated by commas" : ""
        let value = option.placeholder ?? "1"
        return "# \(option.flag): \(option.summary)\(repeated)\(fallback)\n"
            + option.allVariables.map { "#\($0)=\($0.hasSuffix("_FILE") ? "FILE" : value)\n" }.joined()
    }
}
