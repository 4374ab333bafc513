import EventLoop
import InboxHTTP
import InboxModel
import InboxStorage
import Postgres

/// What a process does besides answering, on one of its loops: its own connections to PostgreSQL, its workers, and the
/// exchange of hints with other processes.
actor BackgroundServer {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// To PostgreSQL, of a process; one of them only listens.
    static let connections = 4

    private let plan: ServerPlan
    private var pipelines: [Pipeline] = []
    private var workers: [BackgroundWorker] = []
    private var relay: HintRelay?
    private var fanOuts: FanOutRunner?

    init(loop: EventLoop, plan: ServerPlan) {
        self.loop = loop
        self.plan = plan
    }

    /// Connects and begins.
    func start() async {
        let lookups = plan.pipeline(on: loop, "martlet_lookup", .reads, PostgresStore.keyedPlans)
        let work = plan.pipeline(
            on: loop, "martlet_app", .writes(lock: PostgresStore.lock), BackgroundServer.currentPlans)
        let chunks = plan.pipeline(
            on: loop, "martlet_app", .writes(lock: PostgresStore.lock), PostgresStore.chunkPlans,
            PostgresFanOuts.chunkLimits)
        pipelines = [lookups, work, chunks]
        for pipeline in pipelines { pipeline.start() }
        await startRelay(on: lookups)
        await startFanOuts(
            PostgresFanOuts(lookups: lookups, walks: work, chunks: chunks, hints: plan.shard.hints))
        let schedules = ScheduleRunner(
            on: loop, store: PostgresStore(pipelines: lookups, work, sends: chunks, plan), log: plan.shard.log
        )
        let retention = RetentionRunner(
            on: loop, store: PostgresStore(pipelines: lookups, work, sends: chunks, plan),
            times: plan.limits.retention, log: plan.shard.log)
        await start("schedules") { try await schedules.step() }
        // Devices that have waited for the server come first.
        var random = SystemRandomNumberGenerator()
        let pause = Duration.milliseconds(Int.random(in: 5_000...30_000, using: &random))
        await start("retention", after: pause) { try await retention.step() }
    }

    private func start(
        _ name: String, after pause: Duration = .zero,
        _ step: @escaping @Sendable () async throws -> BackgroundWorker.Rest
    ) async {
        let worker = BackgroundWorker(name, on: loop, log: plan.shard.log, step: step)
        workers.append(worker)
        await worker.start(after: pause)
    }

    private func startFanOuts(_ store: sending PostgresFanOuts) async {
        var terms = FanOutTerms(chunk: plan.limits.messages.fanOutChunk)
        terms.log = plan.shard.log
        let runner = FanOutRunner(on: loop, store: store, terms: terms)
        let worker = BackgroundWorker("fan-out", on: loop, log: plan.shard.log) { try await runner.step() }
        fanOuts = runner
        workers.append(worker)
        plan.fanOuts.listen { worker.kick() }
        await worker.start()
    }

    /// Lets what runs come to its next end, and the connections go.
    func stop() async {
        for worker in workers { await worker.stop() }
        await relay?.close()
        do {
            try await fanOuts?.release()
        } catch {
            // Others find it out by themselves, seconds later.
            plan.shard.log("fan-out: not left to other servers: \(error)")
        }
        for pipeline in pipelines { await pipeline.close() }
    }

    private func startRelay(on pipeline: Pipeline) async {
        let relay = HintRelay(
            plan.shard.hints, sendingOn: pipeline, listeningOn: plan.database.role("martlet_lookup"),
            instance: UInt64.random(in: .min ... .max))
        self.relay = relay
        await relay.start(onEvent: { [log = plan.shard.log] event in
            guard case .disconnected(let error) = event else { return }
            log("no connection to PostgreSQL for hints, so streams hear of changes up to 2 s later: \(error)")
        })
    }

    /// A table of one size at night has another in the morning: each statement is planned for the size that it finds.
    private static let currentPlans: [SQL] = ["SET plan_cache_mode = force_custom_plan", "SET jit = off"]
}

extension PostgresStore {
    /// A store that keeps no request waiting: all but its look-ups and sends go over one connection.
    fileprivate convenience init(
        pipelines lookups: Pipeline, _ work: Pipeline, sends: Pipeline, _ plan: ServerPlan
    ) {
        self.init(
            Pipelines(lookups: lookups, reads: work, writes: work, sends: sends, walks: work),
            limits: plan.limits.messages, hints: plan.shard.hints)
    }
}
