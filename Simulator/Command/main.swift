import Foundation

/// Runs the command that the arguments name; 0 all was right, 1 it was not, 2 the command line is wrong.
func simulate(_ arguments: [String], _ environment: [String: String]) -> Int32 {
    switch arguments.first {
    case "load":
        if arguments.contains("--help") || arguments.contains("-h") {
            say(Help.load)
            return 0
        }
        return runLoad(Array(arguments.dropFirst()), environment)
    case "check":
        if arguments.contains("--help") || arguments.contains("-h") {
            say(Help.check)
            return 0
        }
        if arguments.contains("--simulated") {
            return runSimulated(Array(arguments.dropFirst()), environment)
        }
        return runCheck(Array(arguments.dropFirst()), environment)
    case nil, "help", "--help", "-h":
        say(Help.overview)
        return arguments.isEmpty ? 2 : 0
    case .some(let name):
        note("simulator: there is no command \(name)\n\n\(Help.overview)")
        return 2
    }
}

/// Writes a line to standard output.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Writes a line to standard error.
func note(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

exit(simulate(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment))
