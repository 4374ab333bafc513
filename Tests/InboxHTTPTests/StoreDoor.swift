import EventLoop
import InboxModel
import InboxStorage
import Postgres

/// A store and what it reaches the database by.
struct StoreDoor {
    private let pipelines: PostgresStore.Pipelines
    private let limits: Limits

    init(_ url: String, on loop: EventLoop, _ limits: Limits) throws {
        let configuration = try ConnectionConfiguration(url)
        func pipeline(_ role: String, _ mode: Pipeline.Mode) -> Pipeline {
            Pipeline(loop: loop, configuration: configuration.role(role), mode: mode)
        }
        self.limits = limits
        pipelines = PostgresStore.Pipelines(
            lookups: pipeline("martlet_lookup", .reads), reads: pipeline("martlet_app", .reads),
            writes: pipeline("martlet_app", .writes(lock: PostgresStore.lock)),
            sends: pipeline("martlet_app", .writes(lock: PostgresStore.lock)))
        for pipeline in all { pipeline.start() }
    }

    func store() -> sending PostgresStore { PostgresStore(pipelines, limits: limits) }

    func close() async { for pipeline in all { await pipeline.close() } }

    private var all: [Pipeline] { [pipelines.lookups, pipelines.reads, pipelines.writes, pipelines.sends] }
}
