import EventLoop
import Foundation
import HTTPClient
import HTTPCore
import Platform
import SimulatorKit

/// Runs `simulator load` with devices that carry the library, on an event loop of the calling thread.
func runFleet(_ words: [String], _ environment: [String: String]) -> Int32 {
    outcome(of: "simulator load") {
        let arguments = try FleetArguments(words, environment)
        try requireDescriptors(arguments)
        note("simulator load: seed \(arguments.options.seed), run \(arguments.options.run)")
        note("again: \(arguments.command)")
        var record = try record(of: arguments, environment)
        record.shards = arguments.shard
        try show(record, arguments)
        return record.verdict.isRight
    }
}

private func requireDescriptors(_ arguments: FleetArguments) throws(UsageError) {
    let streams = min(
        arguments.options.mostStreams,
        Int((Double(arguments.options.devices) * arguments.options.profile.watching).rounded(.up)))
    try requireDescriptors(
        arguments.connections + streams,
        "lower --connections (\(arguments.connections)) or --streams (\(streams)), or share the run among processes"
            + " by --shard")
}

private func record(of arguments: FleetArguments, _ environment: [String: String]) throws -> RunRecord {
    let loop = try EventLoop()
    let client = HTTPClient(loop: loop, limits: fleetLimits(connections: arguments.connections))
    let ground = FleetGround(
        executor: loop, clock: LoopClock(loop: loop), transport: client, bases: arguments.servers,
        streams: client, cpu: { Usage.now().cpu })
    let run = FleetRun(arguments.options, apps: arguments.apps, on: ground)
    let screen = Lock(LiveScreen(isQuiet: arguments.isQuiet, environment: environment))
    for number in [SIGINT, SIGTERM] {
        loop.onSignal(number) { Task(executorPreference: loop) { await run.interrupt() } }
    }
    return try onLoop(loop) {
        var record = try await run.run { snapshot in screen.withLock { $0.show(snapshot) } }
        record.own = await run.recorded(Usage.now())
        if let story = await run.story {
            for line in story.lines { note(line) }
            note("again: \(arguments.command)")
        }
        return record
    } end: {
        client.close()
    }
}

/// What a client of many devices takes and waits for.
func fleetLimits(connections: Int) -> HTTPClientLimits {
    var limits = HTTPClientLimits()
    limits.connections = connections
    limits.waiting = 100_000
    // Beyond the server's own bound of 60 s, so that what it still does for a request it also answers.
    limits.answerWithin = .seconds(65)
    return limits
}

private func show(_ record: RunRecord, _ arguments: FleetArguments) throws {
    if arguments.isJSON {
        say(String(decoding: try record.json(), as: UTF8.self))
    } else {
        for line in RunTable(record).lines { say(line) }
    }
    if record.verdict.outcome == .wrong {
        note("again (secrets from MARTLET_APP_SECRET and MARTLET_MASTER_SECRET): \(arguments.command)")
    }
    // Last: what was found is told even if a file cannot be written.
    if let path = arguments.record { try write(json(of: record), to: path) }
    if let path = arguments.page { try write(Array(RunPage(record).html.utf8), to: path) }
}
