import Crypto
import HTTPCore
import SimulatorKit

/// The command line of `simulator check --faults`, read and checked.
struct FaultArguments {
    let seed: UInt64
    let duration: Duration
    let servers: Int

    init(_ arguments: [String], _ environment: [String: String]) throws(UsageError) {
        var reader = ArgumentReader(arguments, environment)
        _ = reader.flag("faults")
        if !reader.flag("dry-run") { reader.complain("--faults goes with --dry-run") }
        seed = reader.number("seed", in: 0...Int64.max).map { UInt64($0) } ?? RandomBytes.uint64() >> 16
        duration = .seconds(reader.seconds("duration", in: 1...86_400) ?? 30)
        servers = Int(reader.number("servers", in: 1...16) ?? 2)
        let problems = reader.end()
        guard problems.isEmpty else { throw UsageError(problems: problems) }
    }

    /// What the seed plans.
    var plan: FaultPlan { FaultPlan(seed: seed, duration: duration, servers: servers) }
}

/// Runs `simulator check --faults`.
func runFaults(_ words: [String], _ environment: [String: String]) -> Int32 {
    do throws(UsageError) {
        let arguments = try FaultArguments(words, environment)
        note(
            "simulator check --faults: seed \(arguments.seed), \(arguments.duration.inSeconds) s, "
                + "\(arguments.servers) servers")
        for line in arguments.plan.lines { say(line) }
        return 0
    } catch {
        for problem in error.problems { note("simulator check: \(problem)") }
        note("`simulator check --help` shows all options")
        return 2
    }
}
