import Testing

@testable import martlet

@Suite struct ArgumentsTests {
    @Test(arguments: [["--title", "Hello"], ["--title=Hello"], ["x", "--title", "Hello"]])
    func `an option takes its value from the next word or behind an equals sign`(words: [String]) throws {
        var arguments = Arguments(words, of: .sample, environment: Environment([:]))
        let title = arguments.text(.title)
        #expect(title == "Hello")
    }

    @Test func `a repeated option keeps all values in order`() throws {
        var arguments = Arguments(["--tag", "a", "--tag=b"], of: .sample, environment: Environment([:]))
        let tags = arguments.texts(.tag)
        #expect(tags == ["a", "b"])
        try arguments.finish()
    }

    @Test(arguments: [[], [""]])
    func `an operand that is missing or empty is one problem`(words: [String]) {
        for command in [Command.appCreate, .messageShow] {
            let arguments = Arguments(words, of: command, environment: Environment([:]))
            var copy = arguments
            if command.name == "app create" { _ = AppName.read(copy.operand(.appName), &copy) }
            #expect {
                try copy.finish()
            } throws: { error in
                let lines = (error as? CommandFailure)?.lines ?? []
                return lines.count == 1 && lines[0].contains(" is missing: ")
            }
        }
    }

    @Test(arguments: [(0, "0 deliveries"), (1, "1 delivery"), (2, "2 deliveries")])
    func `a count has its noun's number`(count: Int, text: String) {
        #expect(Text.count(count, "delivery", "deliveries") == text)
    }

    @Test func `an empty value and a dash are values`() throws {
        var arguments = Arguments(["--title=", "-"], of: .sample, environment: Environment([:]))
        let title = arguments.text(.title)
        #expect(title?.isEmpty == true)
        #expect(arguments.operand(.name) == "-")
        try arguments.finish()
    }

    @Test func `behind two dashes everything is an operand`() throws {
        let arguments = Arguments(["--", "--title"], of: .sample, environment: Environment([:]))
        #expect(arguments.operand(.name) == "--title")
        try arguments.finish()
    }

    @Test func `an id may begin with dashes`() throws {
        let words = ["--title", "--JAbcdefghijklmnopqrst", "--0123456789abcdefghij"]
        var arguments = Arguments(words, of: .sample, environment: Environment([:]))
        let title = arguments.text(.title)
        #expect(title == words[1])
        #expect(arguments.operand(.name) == words[2])
        try arguments.finish()
    }

    @Test(arguments: [
        (["--titel"], ["unknown option --titel; did you mean --title?"]),
        (["--zzzzz"], ["unknown option --zzzzz"]),
        (["--title"], ["--title needs a value: --title TEXT"]),
        (["--title", "--tag", "x"], ["--title needs a value: --title TEXT"]),
        (["--force=yes"], ["--force takes no value"]),
        (["--title", "a", "--title", "b"], ["--title is given twice"]),
        (["a", "b"], ["unexpected word: b"]),
        (["--count", "many"], ["--count must be a whole number from 1 to 9"]),
        (["--count", "10"], ["--count must be a whole number from 1 to 9"]),
    ])
    func `what cannot be understood is named`(words: [String], problems: [String]) {
        var arguments = Arguments(words, of: .sample, environment: Environment([:]))
        _ = arguments.value(.count, Values.wholeNumber(1...9))
        #expect(throws: CommandFailure.usage(problems)) { try arguments.finish() }
    }

    @Test func `all problems are reported together`() {
        var arguments = Arguments(["--x", "--count=0"], of: .sample, environment: Environment([:]))
        _ = arguments.value(.count, Values.wholeNumber(1...9))
        _ = arguments.required(.title)
        let problems = [
            "unknown option --x", "--count must be a whole number from 1 to 9",
            "--title (or MARTLET_TITLE) is missing: what it is called",
        ]
        #expect(throws: CommandFailure.usage(problems)) { try arguments.finish() }
    }

    @Test func `the command line counts before the environment`() {
        let environment = Environment(["MARTLET_TITLE": "from outside", "MARTLET_FORCE": "true"])
        var arguments = Arguments(["--title", "mine"], of: .sample, environment: environment)
        let (title, isForced) = (arguments.text(.title), arguments.isOn(.force))
        #expect(title == "mine")
        #expect(isForced)
    }

    @Test func `a variable may hold several values between commas`() {
        let environment = Environment(["MARTLET_TAGS": "a, b,,c"])
        var arguments = Arguments([], of: .sample, environment: environment)
        let tags = arguments.texts(.tag)
        #expect(tags == ["a", "b", "c"])
    }

    @Test func `a problem of the environment names the variable and not its value`() {
        let environment = Environment(["MARTLET_COUNT": "hunter2", "MARTLET_FORCE": "perhaps"])
        var arguments = Arguments([], of: .sample, environment: environment)
        _ = arguments.value(.count, Values.wholeNumber(1...9))
        _ = arguments.isOn(.force)
        let problems = [
            "MARTLET_COUNT must be a whole number from 1 to 9", "MARTLET_FORCE is neither true nor false",
        ]
        #expect(throws: CommandFailure.usage(problems)) { try arguments.finish() }
    }

    @Test func `a variable that means nothing is named with the nearest that does`() {
        let environment = Environment([
            "MARTLET_LISTN": "x", "MARTLET_TEST_DATABASE": "x", "MARTLET_DATA": "x", "PATH": "x",
        ])
        #expect(
            environment.unknown(among: ["MARTLET_LISTEN", "MARTLET_DATA"])
                == ["MARTLET_LISTN means nothing; did you mean MARTLET_LISTEN?"])
    }

    @Test(arguments: [("30s", 30), ("15m", 900), ("24h", 86_400), ("7d", 604_800), ("0s", 0)])
    func `a duration has a unit`(text: String, seconds: Int64) throws {
        #expect(try Values.duration(text) == .seconds(seconds))
    }

    @Test(arguments: ["", "s", "30", "-1s", "1.5h", "1000001d", "9w"])
    func `a duration without a unit is refused`(text: String) {
        #expect(throws: Unreadable.self) { try Values.duration(text) }
    }
}

extension Option {
    fileprivate static let title = Option(
        "title", "TEXT", "what it is called", variable: "MARTLET_TITLE")
    fileprivate static let tag = Option(
        "tag", "TAG", "a tag", variable: "MARTLET_TAGS", also: [.repeated])
    fileprivate static let count = Option("count", "N", "how many", variable: "MARTLET_COUNT")
    fileprivate static let force = Option(switch: "force", "do it", variable: "MARTLET_FORCE")
}

extension Operand {
    fileprivate static let name = Operand("NAME", "a name", isOptional: true)
}

extension Command {
    fileprivate static let sample = Command(
        "sample", "A sample", takes: ([.name], [.title, .tag, .count, .force]), examples: []
    ) { _, _ in }
}
