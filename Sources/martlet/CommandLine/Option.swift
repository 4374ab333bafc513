/// Something a command can be told: `--name VALUE`, `--name=VALUE`, or a variable of the environment.
struct Option: Sendable {
    /// Without the two dashes.
    let name: String
    /// What help shows in place of the value, such as `HOST:PORT`; a switch has none.
    let placeholder: String?
    /// One line of help, without the default.
    let summary: String
    /// What holds when nothing is said, in the user's words.
    let fallback: String?
    /// The variables that are read when the option is absent; the first that is set counts.
    let variables: [String]
    /// May be given more than once; in its variable, values are separated by commas.
    let isRepeated: Bool
    /// A variable with `_FILE` behind its name may name a file that holds the value.
    let isSecret: Bool

    /// An option with a value.
    init(
        _ name: String, _ placeholder: String, _ summary: String, fallback: String? = nil,
        variable variables: String..., also kinds: Set<Kind> = []
    ) {
        self.name = name
        self.placeholder = placeholder
        self.summary = summary
        self.fallback = fallback
        self.variables = variables
        isRepeated = kinds.contains(.repeated)
        isSecret = kinds.contains(.secret)
    }

    /// A switch: there or not.
    init(switch name: String, _ summary: String, variable variables: String...) {
        self.name = name
        placeholder = nil
        self.summary = summary
        fallback = nil
        self.variables = variables
        isRepeated = false
        isSecret = false
    }

    /// What an option can be besides a name with a value.
    enum Kind {
        case repeated
        case secret
    }

    /// As the user writes it.
    var flag: String { "--\(name)" }

    /// Every variable that this option reads.
    var allVariables: [String] { variables + (isSecret ? variables.map { "\($0)_FILE" } : []) }
}

extension Option {
    /// `--json`: known to every command.
    static let json = Option(switch: "json", "print JSON for scripts instead of text for people")
    /// `--help`: known to every command.
    static let help = Option(switch: "help", "print this text")
}

/// A word of a command that is not an option.
struct Operand: Sendable {
    /// As help shows it, such as `NAME`.
    let name: String
    /// One line of help.
    let summary: String
    /// May be left out.
    let isOptional: Bool

    init(_ name: String, _ summary: String, isOptional: Bool = false) {
        self.name = name
        self.summary = summary
        self.isOptional = isOptional
    }
}
