import Foundation

/// A text file of the project.
struct SourceFile: Sendable {
    /// Below the project's folder, such as `Sources/Platform/Lock.swift`.
    var path: String
    var lines: [String]
    /// The same lines of a Swift file with only code in them, see `CodeMask`; of other files the lines themselves.
    var code: [String]

    init(path: String, text: String) {
        self.path = path
        lines = Self.split(text)
        code = path.hasSuffix(".swift") ? Self.split(CodeMask.code(of: text)) : lines
    }

    private static func split(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// The target whose folder the file is in: `Platform`, `PlatformTests`, `SimulatorKit`.
    var target: String? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count > 2 else { return nil }
        switch parts[0] {
        case "Sources", "Tests": return parts[1]
        case "Simulator":
            return [
                "Reference": "ReferenceInbox", "Kit": "SimulatorKit", "Proxy": "FaultProxy",
                "Command": "simulator",
            ][parts[1]]
        default: return nil
        }
    }

    var isTest: Bool { path.hasPrefix("Tests/") }

    /// Whether it is one of these tests, which name what they look for.
    var isTidyTest: Bool { path.hasPrefix("Tests/TidyTests/") }

    /// What breaks `rule` on `line` (from 1), unless a comment there or on the line above allows it.
    func violation(of rule: Rule, line: Int, _ text: String) -> Violation? {
        let excuse = "// tidy: allow \(rule.rawValue), "
        let near = lines[max(0, line - 2)..<min(line, lines.count)]
        return near.contains { $0.contains(excuse) } ? nil : Violation(path: path, line: line, text: text)
    }
}

/// What `// tidy: allow RULE, because …` names.
enum Rule: String, CaseIterable {
    case length, nesting, parameters, word, name, `import`
}

/// A place that breaks a rule.
struct Violation: Equatable, CustomStringConvertible {
    var path: String
    var line: Int
    var text: String

    var description: String { "\(path):\(line): \(text)" }
}

/// The project on disk, read once for all tests.
enum Project {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every text file that is written by hand.
    static let files: [SourceFile] = paths.compactMap { path in
        let text = (try? Data(contentsOf: root.appending(path: path))).flatMap {
            String(bytes: $0, encoding: .utf8)
        }
        return text.map { SourceFile(path: path, text: $0) }
    }

    static var swiftFiles: [SourceFile] { files.filter(\.isSwift) }

    /// Names in a folder, sorted; none if there is no such folder.
    static func names(in folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
        return (names ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    private static let paths: [String] =
        ["Sources", "Simulator", "Tests", "docs", "migrations", "scripts"].flatMap { folder in
            (FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.allObjects ?? [])
                .compactMap { $0 as? String }.sorted().map { "\(folder)/\($0)" }
        } + names(in: "").filter { !$0.hasSuffix(".xcodeproj") } + [
            ".ci/run", ".env.example", ".dockerignore",
        ]
}
