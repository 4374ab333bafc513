import Foundation
import Testing

@testable import martlet

@Suite struct HelpTests {
    @Test(arguments: ["overview"] + Martlet.commands.map(\.name))
    func `help is the golden text`(name: String) throws {
        let command = Martlet.commands.first { $0.name == name }
        let text = command.map(Help.text) ?? Help.overview(of: Martlet.commands)
        let file = "help-\(name.split(separator: " ").joined(separator: "-")).txt"
        #expect(try text == Golden.text(file, recording: text))
    }

    @Test func `every command has an example that begins with its own name`() {
        for command in Martlet.commands {
            #expect(command.examples.contains { $0.contains("martlet \(command.name)") }, "\(command.name)")
        }
    }

    @Test func `every option stands in help once`() {
        for command in Martlet.commands {
            let flags = command.allOptions.map(\.flag)
            #expect(Set(flags).count == flags.count, "\(command.name)")
        }
    }
}

/// Files that hold what the program says, which a person has read once.
enum Golden {
    /// The file's text; with `MARTLET_RECORD=1` it becomes `recording` first.
    static func text(_ name: String, recording: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        if ProcessInfo.processInfo.environment["MARTLET_RECORD"] == "1" {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try recording.write(to: file, atomically: true, encoding: .utf8)
        }
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")
}
