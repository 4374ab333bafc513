/// What the reference model may take from the code that it judges: names of things, and no rule.
enum ReferenceModel {
    /// Lines of all its files together: it is right because it can be read at once.
    static let mostLines = 600

    /// Types of `InboxModel` that it may name, and their members that it may use.
    static let allowed: Set<String> = [
        "MessageID", "ChannelID", "NamedUserID", "UserID", "DeviceType", "DeviceTypes", "Audience",
        "text", "all", "everyone", "channels", "namedUsers", "tags", "any", "not", "deviceTagGroup",
    ]

    /// Members that the standard library has too.
    private static let everybodys: Set<String> = ["key", "value", "values", "append", "count", "contains"]

    /// Names that files declare, of types and of their members.
    static func names(declaredIn files: [SourceFile]) -> Set<String> {
        let keywords: Set = [
            "struct", "enum", "class", "protocol", "typealias", "func", "var", "let", "case",
        ]
        return Set(
            files.flatMap(\.code).flatMap { line in
                let words = words(of: line).map(\.text)
                return zip(words, words.dropFirst()).filter { keywords.contains($0.0) }.map(\.1)
            })
    }

    /// Places where a type or a member is used that was declared elsewhere, is not allowed, and is none of its own.
    static func violations(_ files: [SourceFile], against declared: Set<String>) -> [Violation] {
        let forbidden = declared.subtracting(allowed).subtracting(everybodys)
            .subtracting(names(declaredIn: files))
        return files.flatMap { file in
            file.code.indices.flatMap { index in
                words(of: file.code[index])
                    .filter {
                        ($0.isMember || $0.text.first?.isUppercase == true) && forbidden.contains($0.text)
                    }
                    .map {
                        Violation(path: file.path, line: index + 1, text: "`\($0.text)` is the judged code's")
                    }
            }
        }
    }

    /// The words of a line, and whether each stands behind a dot.
    private static func words(of line: String) -> [(text: String, isMember: Bool)] {
        var words: [(text: String, isMember: Bool)] = []
        var before: Character = " "
        for character in line {
            if character.isLetter || character.isNumber || character == "_" {
                if before.isLetter || before.isNumber || before == "_" {
                    words[words.count - 1].text.append(character)
                } else {
                    words.append((String(character), before == "."))
                }
            }
            before = character
        }
        return words
    }
}
