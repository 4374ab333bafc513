import Foundation

/// Runs the command that the arguments name; 0 all was right, 1 it was not, 2 the command line is wrong.
func simulate(_ arguments: [String], _ environment: [String: String]) -> Int32 {
    switch arguments.first {
    case "load":
        if arguments.contains("--help") || arguments.contains("-h") {
            say(Help.load)
            return 0
        }
        return load(Array(arguments.dropFirst()), environment)
    case "check":
        if arguments.contains("--help") || arguments.contains("-h") {
            say(Help.check)
            return 0
        }
        let words = Array(arguments.dropFirst())
        if words.contains("--simulated") { return runSimulated(words, environment) }
        if words.contains(where: { $0 == "--faults" || $0.hasPrefix("--minutes") }) {
            return runFaults(words, environment)
        }
        guard words.contains("--model") else {
            note("simulator check: say what to check: --minutes M or --faults, --simulated, or --model")
            note("`simulator check --help` shows all options")
            return 2
        }
        return runCheck(words, environment)
    case "report":
        if arguments.contains("--help") || arguments.contains("-h") {
            say(Help.report)
            return 0
        }
        return runReport(Array(arguments.dropFirst()))
    case nil, "help", "--help", "-h":
        say(Help.overview)
        return arguments.isEmpty ? 2 : 0
    case .some(let name):
        note("simulator: there is no command \(name)\n\n\(Help.overview)")
        return 2
    }
}

/// Runs `simulator load` over the interface that `--wire` names.
private func load(_ words: [String], _ environment: [String: String]) -> Int32 {
    var rest = words
    var wire = "martlet"
    if let index = rest.firstIndex(of: "--wire"), index + 1 < rest.count {
        wire = rest[index + 1]
        rest.removeSubrange(index...index + 1)
    } else if let index = rest.firstIndex(where: { $0.hasPrefix("--wire=") }) {
        wire = String(rest.remove(at: index).dropFirst("--wire=".count))
    }
    switch wire {
    case "martlet": return runFleet(rest, environment)
    case "device": return runLoad(rest, environment)
    default:
        note("simulator load: --wire must be martlet or device")
        return 2
    }
}

/// Writes a line to standard output.
func say(_ line: String) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    } catch {
        note("simulator: standard output cannot be written")
        exit(1)
    }
}

/// Writes a line to standard error.
///
/// Where that cannot be written nobody can be told.
func note(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8)) }

/// Opens what a caller has closed of the standard streams: the next socket would take its place, and be sent our lines.
private func openStandardStreams() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
        // The lowest number that is free: this one.
        _ = unsafe open("/dev/null", O_RDWR)
    }
}

openStandardStreams()

exit(simulate(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment))
