import EventLoop
import FaultProxy
import Foundation
import HTTPClient
import HTTPCore
import Platform
import SimulatorKit

/// Plays scenarios one after another: real servers, harm done to them and to the network, and every inbox right.
actor FaultCheck {
    private let arguments: FaultArguments
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let environment: [String: String]
    private var scenario: Scenario?
    private var isInterrupted = false

    init(_ arguments: FaultArguments, _ environment: [String: String], on loop: EventLoop) {
        self.arguments = arguments
        self.environment = environment
        self.loop = loop
    }

    /// Plays scenarios until the time is over, or so many; false if an inbox was wrong.
    func play() async throws -> Bool {
        var options = ServerGround.Options()
        if let program = arguments.program { options.program = program }
        options.servers = arguments.servers
        let ground = try ServerGround(options, on: loop)
        try await ground.start()
        do {
            let isRight = try await play(on: ground)
            try await ground.stop(keepingLogs: !isRight)
            if !isRight { note("logs of the servers: \(ground.folder)") }
            return isRight
        } catch {
            note("logs of the servers: \(ground.folder)")
            let reason = error
            do { try await ground.stop(keepingLogs: true) } catch { throw reason }
            throw reason
        }
    }

    /// Ends the scenario that is played, and plays no other.
    func interrupt() async {
        isInterrupted = true
        await scenario?.interrupt()
    }

    private func play(on ground: ServerGround) async throws -> Bool {
        let stopwatch = Stopwatch()
        var (number, faults) = (0, FaultCounts())
        while !isInterrupted, arguments.goesOn(after: number, stopwatch.elapsed) {
            let seed = arguments.seed &+ UInt64(number)
            number += 1
            let plan = FaultPlan(seed: seed, duration: arguments.duration, servers: arguments.servers)
            note("scenario \(number): seed \(seed)")
            let scenario = Scenario(plan, on: ground, loop: loop, arguments, environment)
            self.scenario = scenario
            let outcome = try await scenario.play()
            faults += outcome.faults
            let verdict = outcome.record.verdict
            note("  \(outcome.record.checked) answers checked, \(outcome.faults); \(verdict.words)")
            guard verdict.outcome != .wrong else {
                for line in plan.lines { say(line) }
                for line in outcome.story + verdict.first.prefix(10) { say(line) }
                writePage(outcome.record)
                note("again: \(arguments.command(seed: seed))")
                return false
            }
        }
        say("\(number) scenarios, \(faults), and every inbox was right")
        return true
    }
}

extension FaultCheck {
    /// What was found counts more than that it cannot be written.
    private func writePage(_ record: RunRecord) {
        guard let path = arguments.page else { return }
        do throws(UsageError) {
            try write(Array(RunPage(record).html.utf8), to: path)
        } catch {
            for problem in error.problems { note("simulator check: \(problem)") }
        }
    }
}

/// Runs `simulator check --faults` on an event loop of the calling thread.
func runFaultCheck(_ arguments: FaultArguments, _ environment: [String: String]) throws -> Bool {
    let loop = try EventLoop()
    let check = FaultCheck(arguments, environment, on: loop)
    for number in [SIGINT, SIGTERM] {
        loop.onSignal(number) { Task(executorPreference: loop) { await check.interrupt() } }
    }
    return try onLoop(loop) { try await check.play() }
}
