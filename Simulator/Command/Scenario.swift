import EventLoop
import FaultProxy
import Foundation
import HTTPClient
import HTTPCore
import Platform
import SimulatorKit

/// One scenario: a fleet under load, through a proxy that does harm, while a plan does more to the servers.
actor Scenario {
    private let plan: FaultPlan
    private let ground: ServerGround
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let arguments: FaultArguments
    private let environment: [String: String]
    private var run: FleetRun?

    /// What came of it.
    struct Outcome: Sendable {
        let record: RunRecord
        let story: [String]
        let faults: FaultCounts
    }

    init(
        _ plan: FaultPlan, on ground: ServerGround, loop: EventLoop, _ arguments: FaultArguments,
        _ environment: [String: String]
    ) {
        self.plan = plan
        self.ground = ground
        self.loop = loop
        self.arguments = arguments
        self.environment = environment
    }

    /// Ends it before its time.
    func interrupt() async { await run?.interrupt() }

    func play() async throws -> Outcome {
        let keys = try await makeApps()
        let proxy = try FaultProxy(loop: loop, targets: await ground.ports, seed: plan.seed)
        var limits = HTTPClientLimits()
        limits.connections = 256
        limits.answerWithin = Scenario.answerWithin
        let client = HTTPClient(loop: loop, limits: limits)
        let run = FleetRun(
            options, apps: keys,
            on: FleetGround(
                executor: loop, clock: LoopClock(loop: loop), transport: client,
                bases: [BaseURL(host: "127.0.0.1", port: proxy.port)], streams: client,
                cpu: { Usage.now().cpu }))
        self.run = run
        let screen = Lock(LiveScreen(isQuiet: arguments.isQuiet, environment: environment))
        async let harm: Void = doHarm(to: run, through: proxy)
        let record = try await run.run { snapshot in screen.withLock { $0.show(snapshot) } }
        try await harm
        let outcome = await Outcome(record: record, story: run.story?.lines ?? [], faults: proxy.counts)
        await proxy.close()
        client.close()
        return outcome
    }

    /// Beyond any delay, stall or outage of a plan, so that what a server still does for a request it also answers.
    private static let answerWithin = Duration.seconds(10)

    /// Apps of all kinds: each place where messages to people are kept with each way to hide what names others.
    private func makeApps() async throws -> [AppKeys] {
        var keys: [AppKeys] = []
        for (index, choice) in AppChoice.all.enumerated() {
            var settings = GroundApp.Settings()
            settings.delivery = choice.delivery
            settings.identity = index.isMultiple(of: 2) ? .trusted : .verified
            settings.filter = choice.filter
            let app = try await ground.makeApp(
                "scenario \(plan.seed) app \(index) \(UUID().uuidString.prefix(8))", settings)
            keys.append(AppKeys(key: app.key, appSecret: app.appSecret, masterSecret: app.masterSecret))
        }
        return keys
    }

    private var options: FleetOptions {
        var profile = LoadProfile.sharedPhone
        profile.useSeconds = 1
        profile.watching = 0.4
        profile.offlineSeconds = 3
        profile.combinesSettings = false
        var options = FleetOptions(
            profile, devices: arguments.devices, duration: plan.duration, seed: plan.seed,
            run: String(UUID().uuidString.prefix(8)).lowercased())
        options.people = max(6, arguments.devices / 3)
        options.sendRate = max(6, Double(arguments.devices) / 3)
        options.settings = Array(repeating: nil, count: AppChoice.all.count)
        options.ramp = .seconds(1)
        options.rideOut = .seconds(60)
        // What is done to the network and the servers also loses hints, which their client must bear.
        options.hintsWithin = nil
        return options
    }

    // MARK: Harm

    private func doHarm(to run: FleetRun, through proxy: FaultProxy) async throws {
        while await !run.hasLoadBegun, await run.isLoading { try await loop.sleep(for: .milliseconds(20)) }
        let stopwatch = Stopwatch()
        await proxy.set(plan.rates)
        for event in plan.events {
            while stopwatch.elapsed < event.at {
                try await loop.sleep(for: min(event.at - stopwatch.elapsed, .milliseconds(100)))
            }
            if await run.isOver { break }
            if arguments.isLoud { note("  \(event)") }
            try await apply(event.deed, run, proxy)
        }
        while stopwatch.elapsed < plan.duration, await !run.isOver {
            try await loop.sleep(for: .milliseconds(50))
        }
        await proxy.heal()
    }

    private func apply(_ deed: FaultDeed, _ run: FleetRun, _ proxy: FaultProxy) async throws {
        switch deed {
        case .setRates(let rates): await proxy.set(rates)
        case .stepClientClock(let step): await run.stepDeviceClocks(by: step)
        case .stepDatabaseClock(let step):
            await run.willStepDatabaseClock(by: step)
            try await ground.apply(deed)
            await run.didStepDatabaseClock(by: step)
        case .takeDump:
            let ground = ground
            try await run.quietly {
                try await ground.apply(deed)
                await run.rememberState()
            }
        case .restoreDump:
            let ground = ground
            try await run.quietly {
                try await ground.apply(deed)
                await run.returnToRemembered()
            }
        case .killServer, .stopServer, .startServer, .pauseServer, .resumeServer, .killDatabase,
            .startDatabase:
            try await ground.apply(deed)
        }
    }
}
