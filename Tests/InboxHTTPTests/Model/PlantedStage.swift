import EventLoop
import Foundation
import HTTPCore
import InboxWire
import Platform
import ReferenceInbox
import SimulatorKit
import TestSupport

/// A fleet of few devices that do much, against two shards in this process.
struct PlantedStage {
    let stage: TwoShards
    let fault: PlantedFault?
    let seed: UInt64
    var settings = ReferenceInbox.Settings(keepsWithPeople: true, trustsDevices: true)

    /// Runs the fleet until its first difference, or for so long.
    func run(_ profile: LoadProfile, for duration: Duration) async throws -> FleetStory? {
        let apps = [try await stage.makeApp(settings), try await stage.makeApp(settings)]
        var options = FleetOptions(
            profile, devices: 16, duration: duration, seed: seed, run: fault?.rawValue ?? "none")
        options.people = 6
        options.sendRate = 12
        options.stopsAtFirst = true
        return try await withLoop { [options, apps, self] loop in
            let ground = FleetGround(
                executor: loop, clock: LoopTime(loop: loop),
                transport: InstanceTransport(stage: stage, fault: fault),
                bases: [1, 2].map { BaseURL(host: "127.0.0.1", port: $0) })
            let run = FleetRun(options, apps: apps, on: ground)
            _ = try await run.run()
            return await run.story
        }
    }
}

/// The ways to two shards: the port says which.
private struct InstanceTransport: Transport {
    let stage: TwoShards
    let fault: PlantedFault?

    func send(_ request: Request, to base: BaseURL) async throws -> Response {
        let response = try await stage.call(request, on: Int(base.port) - 1)
        guard fault == .shortPage, response.status == 200, request.path == "/v1/inbox",
            !request.queryValues("before").isEmpty
        else { return response }
        return try InstanceTransport.withoutFirst(response)
    }

    /// A page that begins one message too late.
    private static func withoutFirst(_ response: Response) throws -> Response {
        guard case .object(var members) = try JSON.parse(response.body),
            case .array(let messages)? = members.first?.value
        else { return response }
        var response = response
        members[0].value = .array(Array(messages.dropFirst()))
        response.body = JSONWriter.bytes { $0.value(.object(members)) }
        return response
    }
}

/// The real time, with pauses on a loop.
private struct LoopTime: RunClock {
    let loop: EventLoop
    private let stopwatch = Stopwatch()

    init(loop: EventLoop) { self.loop = loop }

    func now() -> Duration { stopwatch.elapsed }

    func wall() -> Instant { Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)) }

    func sleep(for duration: Duration) async throws { try await loop.sleep(for: duration) }
}
