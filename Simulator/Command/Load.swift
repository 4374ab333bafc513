import Crypto
import EventLoop
import Foundation
import HTTPClient
import HTTPCore
import Platform
import SimulatorKit

/// Time by the event loop.
struct LoopClock: RunClock {
    let loop: EventLoop
    private let stopwatch = Stopwatch()

    init(loop: EventLoop) { self.loop = loop }

    func now() -> Duration { stopwatch.elapsed }

    func wall() -> Instant { Instant(seconds: Int64(Foundation.Date.now.timeIntervalSince1970)) }

    func sleep(for duration: Duration) async throws { try await loop.sleep(for: duration) }
}

/// Runs `simulator load` on an event loop of the calling thread.
func runLoad(_ words: [String], _ environment: [String: String]) -> Int32 {
    outcome(of: "simulator load") {
        let arguments = try LoadArguments(words, environment)
        try requireDescriptors(arguments.connections, "or lower --connections (\(arguments.connections))")
        note(headline(arguments))
        let report = try report(of: arguments)
        show(report, arguments)
        return report.isRight
    }
}

private func report(of arguments: LoadArguments) throws -> LoadReport {
    let loop = try EventLoop()
    let client = HTTPClient(loop: loop, limits: fleetLimits(connections: arguments.connections))
    let ground = RunGround(
        executor: loop, clock: LoopClock(loop: loop), transport: client, base: arguments.server)
    let run = LoadRun(arguments.options, access: access(arguments), on: ground)
    let isQuiet = arguments.isQuiet
    return try onLoop(loop) {
        await run.run { line in if !isQuiet { note(line) } }
    } end: {
        client.close()
    }
}

private func access(_ arguments: LoadArguments) -> AppAccess {
    let secret = Array(arguments.appSecret.utf8)
    return AppAccess(
        appKey: arguments.appKey,
        backendAuthorization: "Basic "
            + Base64.encode(Array("\(arguments.appKey):\(arguments.masterSecret)".utf8)),
        sign: { Base64.encode(HMACSHA256.code(key: secret, message: Array($0.utf8))) })
}

private func headline(_ arguments: LoadArguments) -> String {
    let options = arguments.options
    return "simulator load: seed \(options.seed), run \(options.run), \(arguments.server), "
        + "\(options.devices) devices, \(options.people) people, \(options.duration.inSeconds) s, "
        + "\(options.sendRate) sends/s, refresh \(options.refresh.inSeconds) s, "
        + "delivery \(options.delivery?.rawValue ?? "auto"), \(arguments.connections) connections, "
        + "ride out \(options.rideOut.inSeconds) s"
}

private func show(_ report: LoadReport, _ arguments: LoadArguments) {
    let usage = Usage.now()
    if arguments.isJSON {
        say(String(decoding: report.json(usage), as: UTF8.self))
    } else {
        for line in report.lines + [usage.words] { say(line) }
    }
    if !report.isRight {
        note("again (secrets from MARTLET_APP_SECRET and MARTLET_MASTER_SECRET): \(arguments.command)")
    }
}
