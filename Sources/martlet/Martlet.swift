import Foundation

/// The program: finds the command, runs it, and turns its end into an exit code.
@main
struct Martlet {
    /// In the order of help.
    static let commands: [Command] = [
        .serve, .migrate, .appCreate, .appList, .appShow, .appSet, .appDelete, .keyCreate, .keyRotate,
        .keyRevoke, .keyList, .send, .messageList, .messageShow, .messageWait, .messageRecall,
        .scheduleCreate, .scheduleList, .scheduleShow, .scheduleDelete, .namedUserShow, .namedUserExport,
        .namedUserErase, .demo, .doctor, .version,
    ]

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let environment = Environment(ProcessInfo.processInfo.environment)
        let code = await run(words, environment)
        // What was printed may wait until here. A secret that nobody got to see is not done.
        guard fflush(nil) == 0 else {
            Console(isJSON: false).note("martlet: the answer could not be written")
            exit(max(code, 1))
        }
        exit(code)
    }

    /// Returns the exit code.
    static func run(_ words: [String], _ environment: Environment) async -> Int32 {
        var console = Console(isJSON: words.contains(Option.json.flag))
        do {
            guard let (command, rest) = try choose(words, console) else { return 0 }
            var arguments = Arguments(rest, of: command, environment: environment)
            if arguments.asksForHelp {
                console.say(Help.text(of: command))
                return 0
            }
            console = Console(isJSON: arguments.asksForJSON)
            environment.unknown(among: knownVariables).forEach { console.note("martlet: warning: \($0)") }
            try await command.run(&arguments, console)
            return 0
        } catch let failure as CommandFailure {
            failure.lines.forEach { console.note("martlet: \($0)") }
            return failure.exitCode
        } catch {
            console.note("martlet: \(error)")
            return 1
        }
    }

    /// The command that the first words name, and the words behind it; nothing if help was all that was asked for.
    private static func choose(_ words: [String], _ console: Console) throws(CommandFailure) -> (
        Command, [String]
    )? {
        var words = words
        switch words.first {
        case nil:
            throw .usage(["no command; `martlet --help` lists them"])
        case "--help", "-h":
            console.say(Help.overview(of: commands))
            return nil
        case "--version":
            words[0] = "version"
        case "help" where words.count == 1:
            console.say(Help.overview(of: commands))
            return nil
        case "help":
            words = words.dropFirst() + [Option.help.flag]
        default: break
        }
        if let command = commands.first(where: { words.starts(with: $0.words) }) {
            return (command, Array(words.dropFirst(command.words.count)))
        }
        return try chooseGroup(words, console)
    }

    /// `martlet app` alone is no command: `--help` lists what begins so, everything else is refused.
    private static func chooseGroup(_ words: [String], _ console: Console) throws(CommandFailure) -> (
        Command, [String]
    )? {
        let group = commands.filter { $0.words.first == words[0] }
        guard !group.isEmpty else {
            let question = Spelling.question(words[0], among: commands.map { $0.words[0] })
            throw .usage(["unknown command \(words[0])\(question)", "`martlet --help` lists the commands"])
        }
        if words.dropFirst().first == Option.help.flag || words.dropFirst().first == "-h" {
            console.say(Help.overview(of: group, named: words[0]))
            return nil
        }
        let names = group.map(\.name)
        guard words.count > 1 else {
            throw .usage(["\(words[0]) alone is no command; there are: \(names.joined(separator: ", "))"])
        }
        let tried = words.prefix(2).joined(separator: " ")
        throw .usage(["unknown command \(tried)\(Spelling.question(tried, among: names))"])
    }

    /// Every variable that some command reads.
    static var knownVariables: Set<String> { Set(commands.flatMap { $0.options.flatMap(\.allVariables) }) }
}
