import InboxModel

/// What a command was told, by its words and the environment.
///
/// Reading collects problems; `finish` reports them together.
struct Arguments: Sendable {
    private let operands: [String: String]
    private let values: [String: [String]]
    private let environment: Environment
    private var problems: [String]

    /// Sorts words into operands and options; what it cannot sort becomes a problem.
    init(_ words: [String], of command: Command, environment: Environment) {
        var words = Words(words, options: command.allOptions)
        words.sort()
        problems = words.problems
        values = words.values
        self.environment = environment
        var operands: [String: String] = [:]
        for (operand, word) in zip(command.operands, words.operands) { operands[operand.name] = word }
        for operand in command.operands
        where !operand.isOptional && operands[operand.name, default: ""].isEmpty {
            problems.append("\(operand.name) is missing: \(operand.summary)")
        }
        for word in words.operands.dropFirst(command.operands.count) {
            problems.append("unexpected word: \(word)")
        }
        self.operands = operands
    }

    /// Whether help was asked for.
    var asksForHelp: Bool { values[Option.help.name] != nil }

    /// Whether JSON was asked for.
    var asksForJSON: Bool { values[Option.json.name] != nil }

    /// The word in an operand's place.
    ///
    /// A missing or empty one was reported already; its text is then empty.
    func operand(_ operand: Operand) -> String { operands[operand.name] ?? "" }

    /// Whether the option stands on the command line itself.
    func isGiven(_ option: Option) -> Bool { values[option.name] != nil }

    /// Whether a switch is on.
    mutating func isOn(_ option: Option) -> Bool {
        if isGiven(option) { return true }
        guard let found = found(option) else { return false }
        switch found.text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default:
            problems.append("\(found.name) is neither true nor false")
            return false
        }
    }

    /// The option's value as it was written.
    mutating func text(_ option: Option) -> String? { found(option)?.text }

    /// The values of a repeated option.
    mutating func texts(_ option: Option) -> [String] { allFound(option).map(\.text) }

    /// The option's value, read by `read`.
    mutating func value<Value>(_ option: Option, _ read: (String) throws(Unreadable) -> Value) -> Value? {
        found(option).flatMap { value($0, read) }
    }

    /// The values of a repeated option, read by `read`.
    mutating func values<Value>(_ option: Option, _ read: (String) throws(Unreadable) -> Value) -> [Value] {
        allFound(option).compactMap { value($0, read) }
    }

    /// The option's value; a problem if there is none.
    ///
    /// Then the text is empty, and `finish` throws.
    mutating func required(_ option: Option) -> String {
        if let text = text(option), !text.isEmpty { return text }
        let variable = option.variables.first.map { " (or \($0))" } ?? ""
        problems.append("\(option.flag)\(variable) is missing: \(option.summary)")
        return ""
    }

    /// Reports a problem that concerns more than one option.
    mutating func report(_ problem: String) { problems.append(problem) }

    /// To be called when all is read.
    ///
    /// - Throws: `CommandFailure.usage` with every problem.
    func finish() throws(CommandFailure) {
        guard problems.isEmpty else { throw .usage(problems) }
    }

    /// A value, and where it came from in the user's words.
    private typealias Found = (text: String, name: String)

    private mutating func value<Value>(
        _ found: Found, _ read: (String) throws(Unreadable) -> Value
    ) -> Value? {
        do {
            return try read(found.text)
        } catch {
            // The value itself stays out: it may be a secret.
            problems.append("\(found.name) \(error.expectation)")
            return nil
        }
    }

    private mutating func found(_ option: Option) -> Found? {
        if let text = values[option.name]?.last { return (text, option.flag) }
        do {
            return try environment.value(of: option).map { ($0.text, $0.variable) }
        } catch {
            problems.append("\(error.variable) names a file that cannot be read: \(error.path)")
            return nil
        }
    }

    private mutating func allFound(_ option: Option) -> [Found] {
        if let texts = values[option.name] { return texts.map { ($0, option.flag) } }
        guard let found = found(option) else { return [] }
        let parts = found.text.split(separator: ",").map { $0.trimming { $0 == " " } }
        return parts.filter { !$0.isEmpty }.map { ($0, found.name) }
    }
}

/// The words of a command line, being sorted.
private struct Words {
    private var rest: ArraySlice<String>
    private let options: [Option]
    private(set) var operands: [String] = []
    private(set) var values: [String: [String]] = [:]
    private(set) var problems: [String] = []

    init(_ words: [String], options: [Option]) {
        rest = words[...]
        self.options = options
    }

    mutating func sort() {
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            if word == "-h" {
                values[Option.help.name] = [""]
            } else if isOption(word) || (word.hasPrefix("--") && !Words.isIdentifier(word)) {
                take(word)
            } else {
                operands.append(word)
            }
        }
    }

    /// Ids and keys are 22 random characters of which a dash is one: some begin with two.
    private static func isIdentifier(_ word: String) -> Bool {
        word.utf8.count == Base64URL.textBytes && word.utf8.allSatisfy(Base64URL.isDigit)
    }

    private func isOption(_ word: String) -> Bool {
        word.hasPrefix("--") && options.contains { word == $0.flag || word.hasPrefix("\($0.flag)=") }
    }

    private mutating func take(_ word: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let flag = String(parts[0])
        guard let option = options.first(where: { $0.flag == flag }) else {
            let question = Spelling.question(flag, among: options.map(\.flag))
            problems.append("unknown option \(flag)\(question)")
            return
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard let value = value(of: option, attached: attached) else { return }
        if values[option.name] != nil, !option.isRepeated {
            problems.append("\(option.flag) is given twice")
        }
        values[option.name, default: []].append(value)
    }

    /// A switch has the empty value; nothing after a problem.
    private mutating func value(of option: Option, attached: String?) -> String? {
        guard let placeholder = option.placeholder else {
            guard attached != nil else { return "" }
            problems.append("\(option.flag) takes no value")
            return nil
        }
        if let attached { return attached }
        // A forgotten value must not eat the option behind it; `--title=--tag` says that it is meant.
        guard let next = rest.first, !isOption(next) else {
            problems.append("\(option.flag) needs a value: \(option.flag) \(placeholder)")
            return nil
        }
        return rest.popFirst()
    }
}
