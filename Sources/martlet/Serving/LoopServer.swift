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
    static let connections = 4

    private let plan: ServerPlan
    private var pipelines: [Pipeline] = []
    private var http: HTTPServer?
    private var responder: ShardResponder?

    /// What `start` builds will live on `loop`.
    init(loop: EventLoop, plan: ServerPlan) {
        self.loop = loop
        self.plan = plan
    }

    /// Connects to PostgreSQL and returns when it answers.
    func connect() async throws {
        let pipelines = PostgresStore.Pipelines(
            lookups: pipeline("martlet_lookup", .reads, PostgresStore.keyedPlans),
            reads: pipeline("martlet_app", .reads, PostgresStore.keyedPlans),
            writes: pipeline("martlet_app", .writes(lock: PostgresStore.lock), PostgresStore.keyedPlans),
            sends: pipeline("martlet_app", .writes(lock: PostgresStore.lock), []))
        self.pipelines = [pipelines.lookups, pipelines.reads, pipelines.writes, pipelines.sends]
        for pipeline in self.pipelines { pipeline.start() }
        let store = PostgresStore(pipelines, limits: plan.shard.limits)
        try await store.ping()
        let shard = Shard(loop: loop, store: store, configuration: plan.shard)
        let responder = ShardResponder(shard)
        self.responder = responder
        http = HTTPServer(
            loop: loop, limits: plan.limits.http, gauges: plan.gauges, responder: responder,
            errorBody: { (WireError.problemMediaType, WireError.edge($0, $1).problemBody()) })
    }

    /// Listens, and returns the port; `connect` comes first.
    func listen(host: String, port: UInt16) throws -> UInt16 {
        guard let http else { preconditionFailure("connect comes first") }
        return try http.listen(host: host, port: port)
    }

    /// Answers what is in flight and lets everything go; the loop stops.
    func drain(within limit: Duration) async {
        await http?.drain(within: limit)
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

    private func pipeline(_ role: String, _ mode: Pipeline.Mode, _ settings: [SQL]) -> Pipeline {
        let limits: PipelineLimits =
            switch mode {
            case .reads: .reads
            case .writes: .writes
            }
        let pipeline = Pipeline(
            loop: loop, configuration: plan.database.role(role), mode: mode,
            limits: plan.limits.pipeline(limits), atConnect: settings)
        pipeline.onEvent = { [log = plan.shard.log] event in
            switch event {
            case .connected: break
            case .disconnected(let error):
                log("no connection to PostgreSQL as \(role), trying again: \(error)")
            }
        }
        return pipeline
    }
}

/// What all loops of the server are built from.
struct ServerPlan: Sendable {
    let database: ConnectionConfiguration
    let shard: ShardConfiguration
    let limits: ServerLimits
    let gauges = HTTPGauges()
}

/// Brings HTTP's requests to the shard, neither of which knows the other.
private final class ShardResponder: HTTPResponder {
    private let shard: Shard

    init(_ shard: Shard) { self.shard = shard }

    func respond(to request: Request, _ finish: @escaping @Sendable (Response) -> Void) {
        shard.answer(request, finish)
    }
}
