import EventLoop
import HTTPClient
import HTTPCore
import Platform
import SimulatorKit

/// Runs `simulator check` on an event loop of the calling thread.
func runCheck(_ words: [String], _ environment: [String: String]) -> Int32 {
    do {
        let arguments = try CheckArguments(words, environment)
        note("simulator check: seed \(arguments.seed), \(arguments.histories) histories")
        guard let finding = try find(arguments) else {
            say("\(arguments.histories) histories, and every answer was right")
            return 0
        }
        say("history \(finding.number): an answer was wrong")
        for line in finding.lines { say(line) }
        note("again: \(arguments.command(seed: finding.seed))")
        return 1
    } catch let error as UsageError {
        for problem in error.problems { note("simulator check: \(problem)") }
        note("`simulator check --help` shows all options")
        return 2
    } catch {
        note("simulator check: \(error)")
        return 1
    }
}

private func find(_ arguments: CheckArguments) throws -> HistoryCheck.Finding? {
    let loop = try EventLoop()
    let client = HTTPClient(loop: loop)
    let stage = RemoteStage(client, servers: arguments.servers, backstage: arguments.backstage)
    let check = HistoryCheck(on: stage, features: .all, seed: arguments.seed)
    return try onLoop(loop) {
        try await check.run(histories: arguments.histories) { played in
            if !arguments.isQuiet, played.isMultiple(of: 100) { note("\(played) histories") }
        }
    } end: {
        client.close()
    }
}
