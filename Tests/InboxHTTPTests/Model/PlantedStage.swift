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
    /// What its run is called.
    let name: String
    var fault: DoorFault?
    var settings = ReferenceInbox.Settings(keepsWithPeople: true, trustsDevices: true)

    /// Runs the fleet until its first difference, or for so long.
    func run(_ profile: LoadProfile, for duration: Duration) async throws -> FleetStory? {
        let apps = [try await stage.makeApp(settings), try await stage.makeApp(settings)]
        var options = FleetOptions(
            profile, devices: 16, duration: duration, seed: 1, run: name)
        options.people = 6
        options.sendRate = 12
        options.stopsAtFirst = true
        options.hintsWithin = .seconds(5)
        let door = PlantedDoor(fault)
        return try await withLoop { [options, apps, stage] loop in
            let ground = FleetGround(
                executor: loop, clock: LoopTime(loop: loop),
                transport: InstanceTransport(stage: stage, door: door),
                bases: [1, 2].map { BaseURL(host: "127.0.0.1", port: $0) },
                streams: InstanceStreams(stage: stage, door: door, loop: loop))
            let run = FleetRun(options, apps: apps, on: ground)
            _ = try await run.run()
            return await run.story
        }
    }
}

/// The ways to two shards: the port says which.
private struct InstanceTransport: Transport {
    let stage: TwoShards
    let door: PlantedDoor

    func send(_ request: Request, to base: BaseURL) async throws -> Response {
        try door.answer(try await stage.call(request, on: Int(base.port) - 1), to: request)
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
