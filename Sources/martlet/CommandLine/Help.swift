/// The texts of `--help`.
enum Help {
    /// What `martlet --help` says; with the first word of some commands, what `martlet WORD --help` says of those.
    static func overview(of commands: [Command], named group: String? = nil) -> String {
        let rows = commands.map { (left: $0.name, right: $0.summary) }
        return """
            usage: martlet \(group.map { "\($0) " } ?? "")COMMAND [OPTION…]

            Keeps every message that was sent to an app's users, and serves it to their devices.

            \(table(rows).joined(separator: "\n"))

            `martlet COMMAND --help` says more, with examples. Exit codes: 0 done, 1 refused, 2 usage.

            """
    }

    /// What `martlet COMMAND --help` says.
    static func text(of command: Command) -> String {
        let operands = command.operands.map { $0.isOptional ? " [\($0.name)]" : " \($0.name)" }.joined()
        var parts = ["usage: martlet \(command.name)\(operands) [OPTION…]", "\(command.summary)."]
        if !command.details.isEmpty { parts.append(command.details) }
        let operandRows = command.operands.map { (left: $0.name, right: $0.summary) }
        let optionRows = command.allOptions.map { (left: spelling($0), right: explanation($0)) }
        parts.append(table(operandRows + optionRows).joined(separator: "\n"))
        if !command.examples.isEmpty {
            parts.append("Examples:\n\n" + command.examples.map { "    \($0)" }.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func spelling(_ option: Option) -> String {
        guard let placeholder = option.placeholder else { return option.flag }
        return "\(option.flag) \(placeholder)\(option.isRepeated ? " …" : "")"
    }

    private static func explanation(_ option: Option) -> String {
        var text = option.summary
        if let fallback = option.fallback { text += " (default \(fallback))" }
        if let variable = option.variables.first { text += " [\(variable)]" }
        return text
    }

    /// Two columns; a left side that is too wide stands on a line of its own.
    private static func table(_ rows: [(left: String, right: String)]) -> [String] {
        let fitting = rows.map(\.left.count).filter { $0 <= widest }
        let width = fitting.max() ?? 0
        return rows.flatMap { row -> [String] in
            let lines = wrapped(row.right, to: lineLength - width - 6)
            let indent = String(repeating: " ", count: width + 6)
            let rest = lines.dropFirst().map { indent + $0 }
            guard row.left.count <= width else { return ["    " + row.left] + lines.map { indent + $0 } }
            let gap = String(repeating: " ", count: width - row.left.count + 2)
            return ["    \(row.left)\(gap)\(lines.first ?? "")"] + rest
        }
    }

    private static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + word.count < width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static let widest = 30
    private static let lineLength = 100
}
