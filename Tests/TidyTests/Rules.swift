/// The rules that look at one file, each pure: a file in, what breaks the rule out.
enum Rules {
    /// Files of code over 400 lines; an excuse stands on the first line.
    static func fileLength(_ file: SourceFile) -> [Violation] {
        let limit = 400
        guard file.isCode, file.lines.count > limit else { return [] }
        return [file.violation(of: .length, line: 1, "\(file.lines.count) lines, at most \(limit)")]
            .compactMap(\.self)
    }

    /// Functions with over 60 lines, over 3 branches within one another, or over 5 parameters.
    ///
    /// An `init` may have more parameters: it names the stored properties.
    static func functions(_ file: SourceFile) -> [Violation] {
        Function.all(in: file.code.joined(separator: "\n")).flatMap { function in
            [
                function.bodyLines <= 60
                    ? nil
                    : file.violation(
                        of: .length, line: function.line, "\(function.bodyLines) lines, at most 60"),
                function.nesting <= 3
                    ? nil
                    : file.violation(
                        of: .nesting, line: function.line, "nested \(function.nesting) deep, at most 3"),
                function.parameters <= 5 || function.keyword == "init"
                    ? nil
                    : file.violation(
                        of: .parameters, line: function.line, "\(function.parameters) parameters, at most 5"),
            ].compactMap(\.self)
        }
    }

    /// Words that stand for something the house does another way.
    static func words(_ file: SourceFile) -> [Violation] {
        BannedWord.all.filter { $0.applies(to: file) }.flatMap { word in
            let lines = word.inComments ? file.lines : file.code
            return lines.indices.filter { word.isFound(in: lines[$0]) }.compactMap { index in
                file.violation(of: .word, line: index + 1, "`\(word.text)`: \(word.instead)")
            }
        }
    }

    /// Types whose name says nothing of the domain.
    static func typeNames(_ file: SourceFile) -> [Violation] {
        let empty = ["Manager", "Helper", "Helpers", "Util", "Utils", "Utility", "Info", "Impl"]
        return file.code.indices.flatMap { index in
            let words = file.code[index].split { !($0.isLetter || $0.isNumber || $0 == "_") }
            return zip(words, words.dropFirst())
                .filter { keyword, name in
                    ["class", "struct", "enum", "actor", "protocol", "typealias"].contains(keyword)
                        && empty.contains { name.hasSuffix($0) }
                }
                .compactMap {
                    file.violation(of: .name, line: index + 1, "`\($0.1)` names no thing of the domain")
                }
        }
    }

    /// Excuses that name no rule or give no reason.
    static func excuses(_ file: SourceFile) -> [Violation] {
        if file.isTidyTest { return [] }
        return file.lines.indices.compactMap { index in
            guard let start = file.lines[index].firstRange(of: "// tidy:") else { return nil }
            let excuse = file.lines[index][start.upperBound...]
            let isGood = Rule.allCases.contains { rule in
                excuse.hasPrefix(" allow \(rule.rawValue), ")
                    && excuse.count >= " allow , ".count + rule.rawValue.count + 10
            }
            return isGood
                ? nil
                : Violation(path: file.path, line: index + 1, text: "write `// tidy: allow RULE, reason`")
        }
    }
}

extension SourceFile {
    /// Whether the bound on lines is for this file: code, not prose, data or licence.
    var isCode: Bool {
        if path.contains("/Golden/") { return false }
        if [".swift", ".h", ".js", ".css", ".html", ".py", ".sql"].contains(where: path.hasSuffix) {
            return true
        }
        return path.hasPrefix("scripts/") || ["run", "test", ".ci/run"].contains(path)
    }
}
