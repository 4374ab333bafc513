/// One thing that `martlet` does: how it is called, what help says of it, and its code.
struct Command: Sendable {
    /// The words that choose it, such as `app create`.
    let name: String
    /// One line, without a full stop, for the list of commands.
    let summary: String
    /// What help says below the usage line; may be empty.
    let details: String
    let operands: [Operand]
    /// Besides `--json` and `--help`.
    let options: [Option]
    /// Lines that work as printed.
    let examples: [String]
    let run: @Sendable (inout Arguments, Console) async throws -> Void

    init(
        _ name: String, _ summary: String, details: String = "",
        takes: (operands: [Operand], options: [Option]), examples: [String],
        run: @escaping @Sendable (inout Arguments, Console) async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        operands = takes.operands
        options = takes.options
        self.examples = examples
        self.run = run
    }

    /// The words of `name`.
    var words: [String] { name.split(separator: " ").map(String.init) }

    /// `options` and those that every command has.
    var allOptions: [Option] { options + [.json, .help] }
}
