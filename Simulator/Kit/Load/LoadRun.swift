package import HTTPCore
import Platform

/// What carries a run: the thread it is confined to, time, and the way to the server.
package struct RunGround: Sendable {
    package let executor: any SerialExecutor & TaskExecutor
    package let clock: any RunClock
    package let transport: any Transport
    package let base: BaseURL

    package init(
        executor: any SerialExecutor & TaskExecutor, clock: any RunClock, transport: any Transport,
        base: BaseURL
    ) {
        self.executor = executor
        self.clock = clock
        self.transport = transport
        self.base = base
    }
}

/// Why a run, or one device of it, cannot go on.
enum RunEnd: Error {
    /// The server was away for longer than the run rides out.
    case serverAway
    /// The server refused something that everything else needs; reported as a difference.
    case refused
    /// The end of the load was reached while something was waiting.
    case over
}

/// Many devices against one server, each answer held against the ledger; all on one executor.
package actor LoadRun {
    let options: LoadOptions
    let access: AppAccess
    let composition: Composition
    private nonisolated let ground: RunGround
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe ground.executor.asUnownedSerialExecutor()
    }

    var ledger: Ledger
    var reader: ListReader
    var devices: [SimulatedDevice]
    var measurements = Measurements()
    var findings = Findings()
    var outage = Outage()
    var isServerAway = false
    /// Messages whose send was answered 2xx.
    var answeredSends: Set<Int> = []
    /// Devices may not claim to be someone in this app: its backend logs them in.
    var associatesByBackend = false
    var delivery = Delivery.devices
    /// Nonces and the jitter of pauses.
    var dice: SeededRandom
    /// Since when the load runs, and when it ends.
    var loadStart = Duration.zero
    var loadEnd = Duration.zero
    var loadTime = Duration.zero
    private let began: Duration
    private var queue: ArraySlice<Int> = []

    package init(_ options: LoadOptions, access: AppAccess, on ground: RunGround) {
        self.options = options
        self.access = access
        self.ground = ground
        composition = Composition(run: options.run)
        reader = ListReader(composition: composition)
        devices = (0..<options.devices).map { SimulatedDevice($0, of: options.seed) }
        ledger = Ledger(delivery: .devices, tags: [], people: 0)
        dice = SeededRandom.part(-1, of: options.seed)
        began = ground.clock.now()
    }

    /// Runs all of it; `progress` gets a line now and then.
    package func run(_ progress: @escaping @Sendable (String) -> Void) async -> LoadReport {
        do {
            delivery = try await probe()
            let tags = devices.indices.map { $0 % options.tags }
            var limits = LedgerLimits()
            limits.sendsUnderWay = options.senders * LoadOptions.pushesPerRequest
            ledger = Ledger(delivery: delivery, tags: tags, people: options.people, limits: limits)
            let early = options.arrivals.early
            progress("delivery \(delivery.rawValue); registering \(early.count) devices")
            await inParallel(early) { run, device in await run.arrive(device) }
            progress("\(devices.count { $0.user != nil }) devices stand after \(elapsedText)")
            await load(progress)
            await compareAll()
        } catch {
            // Whatever stopped the probe is in the findings, or the server was away.
        }
        return report()
    }

    // MARK: Time

    var clock: any RunClock { ground.clock }
    var transport: any Transport { ground.transport }
    var base: BaseURL { ground.base }
    /// Since the run was made.
    var elapsed: Duration { clock.now() - began }
    var elapsedText: String { seconds(elapsed) }

    func moment() -> Moment { ledger.moment(at: elapsed.milliseconds) }

    /// Waits, but not past the end of the load.
    func pause(_ duration: Duration) async throws {
        let left = loadEnd - clock.now()
        guard left > .zero else { throw RunEnd.over }
        try await clock.sleep(for: min(duration, left))
    }

    // MARK: Phases

    private func load(_ progress: @escaping @Sendable (String) -> Void) async {
        loadStart = clock.now()
        loadEnd = loadStart + options.duration
        let (executor, senders) = (ground.executor, options.senders)
        await withDiscardingTaskGroup { group in
            for device in devices.indices {
                group.addTask(executorPreference: executor) { await self.live(device) }
            }
            for sender in 0..<senders {
                group.addTask(executorPreference: executor) { await self.keepSending(sender) }
            }
            group.addTask(executorPreference: executor) { await self.keepTelling(progress) }
        }
        loadTime = clock.now() - loadStart
    }

    /// Does the work for each number, so many at a time.
    func inParallel(
        _ numbers: Range<Int>, _ work: @escaping @Sendable (isolated LoadRun, Int) async -> Void
    ) async {
        queue = ArraySlice(numbers)
        let (executor, workers) = (ground.executor, options.workers)
        await withDiscardingTaskGroup { group in
            for _ in 0..<workers {
                group.addTask(executorPreference: executor) { await self.drainQueue(work) }
            }
        }
    }

    private func drainQueue(_ work: @Sendable (isolated LoadRun, Int) async -> Void) async {
        while let number = queue.popFirst() { await work(self, number) }
    }
}

/// Seconds for people.
func seconds(_ duration: Duration) -> String {
    let tenths = (duration.milliseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10) s"
}
