import Crypto
import HTTPCore
import SimulatorKit

/// The command line of `simulator check --faults`, read and checked.
struct FaultArguments {
    /// Of the first scenario; each further one has the next.
    let seed: UInt64
    /// Of one scenario.
    let duration: Duration
    let servers: Int
    let devices: Int
    /// How long scenarios are begun, or how many are played.
    let minutes: Double?
    let scenarios: Int
    /// Where `martlet` is; beside the simulator unless it is told.
    let program: String?
    let page: String?
    let isDryRun: Bool
    let isQuiet: Bool
    /// Whether each deed is told.
    let isLoud: Bool

    init(_ arguments: [String], _ environment: [String: String]) throws(UsageError) {
        var reader = ArgumentReader(arguments, environment)
        _ = reader.flag("faults")
        isDryRun = reader.flag("dry-run")
        (isQuiet, isLoud) = (reader.flag("quiet"), reader.flag("verbose"))
        minutes = reader.seconds("minutes", in: 0.01...10_000)
        let count = reader.number("seeds", in: 1...1_000_000)
        if minutes != nil, count != nil { reader.complain("--minutes and --seeds exclude each other") }
        scenarios = Int(count ?? 1)
        devices = Int(reader.number("devices", in: 6...2_000) ?? 48)
        let program = reader.text("program", variable: nil)
        self.program = program.isEmpty ? nil : program
        let page = reader.text("html", variable: nil)
        self.page = page.isEmpty ? nil : page
        seed = reader.number("seed", in: 0...Int64.max).map { UInt64($0) } ?? RandomBytes.uint64() >> 16
        duration = .seconds(reader.seconds("duration", in: 1...86_400) ?? 20)
        servers = Int(reader.number("servers", in: 1...16) ?? 2)
        let problems = reader.end()
        guard problems.isEmpty else { throw UsageError(problems: problems) }
    }

    /// Whether another scenario is begun after so many, and so long.
    func goesOn(after played: Int, _ elapsed: Duration) -> Bool {
        if let minutes { return elapsed < .seconds(minutes * 60) }
        return played < scenarios
    }

    /// The command that plays one scenario again.
    func command(seed: UInt64) -> String {
        "simulator check --faults --seeds 1 --seed \(seed) --duration \(duration.inSeconds)"
            + " --servers \(servers) --devices \(devices)"
    }

    /// What the seed plans.
    var plan: FaultPlan { FaultPlan(seed: seed, duration: duration, servers: servers) }
}

/// Runs `simulator check --faults`.
func runFaults(_ words: [String], _ environment: [String: String]) -> Int32 {
    outcome(of: "simulator check") {
        let arguments = try FaultArguments(words, environment)
        note(
            "simulator check --faults: seed \(arguments.seed), \(arguments.duration.inSeconds) s, "
                + "\(arguments.servers) servers")
        guard !arguments.isDryRun else {
            for line in arguments.plan.lines { say(line) }
            return true
        }
        // A device's request and its stream: each from the client to the proxy, there, and on to the server.
        try requireDescriptors(6 * arguments.devices, "or lower --devices (\(arguments.devices))")
        return try runFaultCheck(arguments, environment)
    }
}
