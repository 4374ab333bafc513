import EventLoop
import HTTPClient
import HTTPCore
import Platform
import SimulatorKit

/// Runs `simulator check` on an event loop of the calling thread.
func runCheck(_ words: [String], _ environment: [String: String]) -> Int32 {
    outcome(of: "simulator check") {
        let arguments = try CheckArguments(words, environment)
        note("simulator check: seed \(arguments.seed), \(arguments.histories) histories")
        guard let finding = try find(arguments) else {
            say("\(arguments.histories) histories, and every answer was right")
            return true
        }
        say("history \(finding.number): an answer was wrong")
        for line in finding.lines { say(line) }
        note("again: \(arguments.command(seed: finding.seed))")
        return false
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
