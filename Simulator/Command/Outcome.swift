/// What is wrong with a command line, all of it.
struct UsageError: Error {
    let problems: [String]
}

/// Runs a command and says what stood in its way: 0 all was right, 1 it was not, 2 the command line is wrong.
func outcome(of command: String, _ work: () throws -> Bool) -> Int32 {
    do {
        return try work() ? 0 : 1
    } catch let error as UsageError {
        for problem in error.problems { note("\(command): \(problem)") }
        note("`\(command) --help` shows all options")
        return 2
    } catch {
        note("\(command): \(error)")
        return 1
    }
}
