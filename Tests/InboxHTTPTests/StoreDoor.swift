import EventLoop
import InboxModel
import InboxService
import InboxStorage
import Postgres

/// A store and what it reaches the database by.
struct StoreDoor {
    private let pipelines: PostgresStore.Pipelines
    private let limits: Limits
    private let hints: Hints

    /// - Parameter sends: where sends go instead, such as a proxy.
    init(
        _ url: String, on loop: EventLoop, _ limits: Limits, _ hints: Hints = Hints(),
        sendsTo sends: String? = nil
    ) throws {
        func pipeline(_ role: String, _ mode: Pipeline.Mode, to url: String = url) throws -> Pipeline {
            Pipeline(
                loop: loop, configuration: try ConnectionConfiguration(url).role(role), mode: mode)
        }
        (self.limits, self.hints) = (limits, hints)
        pipelines = PostgresStore.Pipelines(
            lookups: try pipeline("martlet_lookup", .reads), reads: try pipeline("martlet_app", .reads),
            writes: try pipeline("martlet_app", .writes(lock: PostgresStore.lock)),
            sends: try pipeline("martlet_app", .writes(lock: PostgresStore.lock), to: sends ?? url),
            walks: try pipeline("martlet_app", .reads))
        for pipeline in pipelines.all { pipeline.start() }
    }

    func store() -> sending PostgresStore { PostgresStore(pipelines, limits: limits, hints: hints) }

    func close() async { for pipeline in pipelines.all { await pipeline.close() } }
}

extension PostgresStore {
    /// Sends without a key; what became of each.
    func send(_ sends: [Send], for app: AppCredentials) async throws -> [SendOutcome] {
        switch try await send(sends, for: app, as: SendTerms(actor: "master")) {
        case .sent(let outcomes): return outcomes
        case .repeated: preconditionFailure("without a key nothing is repeated")
        }
    }
}
