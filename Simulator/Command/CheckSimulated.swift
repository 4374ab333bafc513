import Crypto
import Foundation
import Platform
import SimulatorKit

/// The command line of `simulator check --simulated`, read and checked.
struct SimulatedArguments {
    let seed: UInt64
    let worlds: Int
    let devices: Int?
    let hours: Int?
    /// Only the digest is printed.
    let isDigest: Bool
    let isQuiet: Bool

    init(_ arguments: [String], _ environment: [String: String]) throws(UsageError) {
        var reader = ArgumentReader(arguments, environment)
        _ = reader.flag("simulated")
        seed = reader.number("seed", in: 0...Int64.max).map { UInt64($0) } ?? RandomBytes.uint64() >> 16
        worlds = Int(reader.number("worlds", in: 1...10_000_000) ?? 1000)
        devices = reader.number("devices", in: 1...100).map { Int($0) }
        hours = reader.number("hours", in: 1...10_000).map { Int($0) }
        isDigest = reader.flag("digest")
        isQuiet = reader.flag("quiet")
        let problems = reader.end()
        guard problems.isEmpty else { throw UsageError(problems: problems) }
    }

    /// The command that plays one world again.
    func command(seed: UInt64, worlds: Int = 1) -> String {
        "simulator check --simulated --worlds \(worlds) --seed \(seed)"
            + (devices.map { " --devices \($0)" } ?? "") + (hours.map { " --hours \($0)" } ?? "")
    }
}

/// Runs `simulator check --simulated`.
func runSimulated(_ words: [String], _ environment: [String: String]) -> Int32 {
    outcome(of: "simulator check") { play(try SimulatedArguments(words, environment)) }
}

/// Plays the worlds; false if something was wrong.
private func play(_ arguments: SimulatedArguments) -> Bool {
    let command = arguments.command(seed: arguments.seed, worlds: arguments.worlds)
    if !arguments.isDigest { note("seed \(arguments.seed): \(command)") }
    var check = SimulationCheck(seed: arguments.seed)
    check.devices = arguments.devices
    check.life = arguments.hours.map { .seconds(3600 * $0) }
    let before = Usage.now().cpu
    var tally = SimulationCheck.Tally()
    let finding = check.run(worlds: arguments.worlds, &tally) { tally in
        if !arguments.isQuiet, !arguments.isDigest, tally.worlds.isMultiple(of: 500) {
            note("\(tally.worlds) worlds")
        }
    }
    if let finding {
        say("world \(finding.seed): something was wrong")
        for line in finding.lines { say(line) }
        note("again: \(arguments.command(seed: finding.seed))")
        return false
    }
    let digest = String(tally.digest, radix: 16)
    if arguments.isDigest {
        say(digest)
    } else {
        report(tally, cpu: Usage.now().cpu - before, digest)
    }
    return true
}

private func report(_ tally: SimulationCheck.Tally, cpu: Duration, _ digest: String) {
    let seconds = max(cpu.inSeconds, 0.001)
    say("\(tally.worlds) worlds, and every device was right")
    say(
        "\(Int(tally.deviceHours)) device-hours in \(String(format: "%.1f", seconds)) s of CPU: "
            + "\(Int(tally.deviceHours / seconds * 60)) in a minute")
    say("digest \(digest)")
}
