import EventLoop
import Foundation
import HTTPCore
import HTTPServer
import InboxHTTP
import InboxStorage
import InboxWire
import Postgres

/// One loop of the server: its connections to PostgreSQL, its shard and its HTTP.
actor LoopServer {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// To PostgreSQL, of each loop.
    static let connections = 5

    private let plan: ServerPlan
    private var pipelines: [Pipeline] = []
    private var http: HTTPServer?
    private var responder: ShardResponder?
    private var shard: Shard?
    private var background: BackgroundServer?

    /// What `start` builds will live on `loop`.
    init(loop: EventLoop, plan: ServerPlan) {
        self.loop = loop
        self.plan = plan
    }

    /// Connects to PostgreSQL and returns when it answers.
    func connect() async throws {
        let pipelines = PostgresStore.Pipelines(
            lookups: plan.pipeline(on: loop, "martlet_lookup", .reads, PostgresStore.keyedPlans),
            reads: plan.pipeline(on: loop, "martlet_app", .reads, PostgresStore.keyedPlans),
            writes: plan.pipeline(
                on: loop, "martlet_app", .writes(lock: PostgresStore.lock), PostgresStore.keyedPlans),
            sends: plan.pipeline(
                on: loop, "martlet_app", .writes(lock: PostgresStore.lock), PostgresStore.sendPlans),
            walks: plan.pipeline(on: loop, "martlet_app", .reads, []))
        self.pipelines = pipelines.all
        for pipeline in self.pipelines { pipeline.start() }
        let store = PostgresStore(pipelines, limits: plan.shard.limits, hints: plan.shard.hints)
        try await store.ping()
        let shard = Shard(loop: loop, store: store, configuration: plan.shard)
        self.shard = shard
        let responder = ShardResponder(shard)
        self.responder = responder
        let limits = plan.limits.http
        http = HTTPServer(
            loop: loop, limits: limits, gauges: plan.gauges, responder: responder,
            errorBody: { status, reason in
                let error = WireError.edge(status, reason, bodyBytes: limits.bodyBytes)
                return (WireError.problemMediaType, error.problemBody())
            })
    }

    /// Listens, and returns the port; `connect` comes first.
    func listen(host: String, port: UInt16) throws -> UInt16 {
        guard let http else { preconditionFailure("connect comes first") }
        return try http.listen(host: host, port: port)
    }

    /// Begins what the process does besides answering; on one loop of it.
    func startBackground() async {
        let background = BackgroundServer(loop: loop, plan: plan)
        self.background = background
        await background.start()
    }

    /// Answers what is in flight and lets everything go; the loop stops.
    func drain(within limit: Duration) async {
        let stopping = Task(executorPreference: loop) { [background] in await background?.stop() }
        await http?.drain(within: limit)
        await stopping.value
        await shard?.recordFetches()
        for pipeline in pipelines { await pipeline.close() }
        loop.stop()
    }

    /// Calls `action` on the first of the process's signals to end, and leaves at once on the second.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        var hasBegun = false
        for signal in [SIGTERM, SIGINT] {
            loop.onSignal(signal) {
                if hasBegun { exit(128 + signal) }
                hasBegun = true
                action()
            }
        }
    }
}

/// What all loops of the server are built from.
struct ServerPlan: Sendable {
    let database: ConnectionConfiguration
    let shard: ShardConfiguration
    let limits: ServerLimits
    /// Rung when a send begins that is delivered in the background.
    let fanOuts: Doorbell
    let gauges = HTTPGauges()

    /// A connection of a loop, not started yet.
    func pipeline(
        on loop: EventLoop, _ role: String, _ mode: Pipeline.Mode, _ settings: [SQL],
        _ own: PipelineLimits? = nil
    ) -> Pipeline {
        let limits: PipelineLimits =
            switch mode {
            case .reads: .reads
            case .writes: .writes
            }
        let pipeline = Pipeline(
            loop: loop, configuration: database.role(role), mode: mode,
            limits: self.limits.pipeline(own ?? limits), atConnect: settings)
        pipeline.onEvent = { [log = shard.log] event in
            switch event {
            case .connected: break
            case .disconnected(let error):
                log("no connection to PostgreSQL as \(role), trying again: \(error)")
            }
        }
        return pipeline
    }
}

/// Brings HTTP's requests to the shard, neither of which knows the other.
private final class ShardResponder: HTTPResponder {
    private let shard: Shard

    init(_ shard: Shard) { self.shard = shard }

    func respond(to request: Request, _ finish: @escaping @Sendable (Response) -> Void) {
        shard.answer(request, finish)
    }
}
