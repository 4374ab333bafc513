package import InboxModel
package import InboxService
import Platform
package import Postgres

/// The inbox store over PostgreSQL, confined to the loop of its pipelines.
///
/// Look-ups find out who is calling and run as `martlet_lookup`; everything else runs as `martlet_app` under
/// row-level security, with the app set as the scope of each statement.
package final class PostgresStore: InboxStore {
    /// The pipelines of one loop, each a connection.
    package struct Pipelines {
        /// Role `martlet_lookup`.
        package var lookups: Pipeline
        /// Role `martlet_app`, like the others.
        package var reads: Pipeline
        /// Marks, registrations: short, many of them in one transaction.
        package var writes: Pipeline
        /// Sends and recalls, so that a large one keeps no mark waiting.
        package var sends: Pipeline
        /// Reads that count audiences or deliveries, so that a large one keeps no list waiting.
        package var walks: Pipeline

        package init(
            lookups: Pipeline, reads: Pipeline, writes: Pipeline, sends: Pipeline, walks: Pipeline
        ) {
            self.lookups = lookups
            self.reads = reads
            self.writes = writes
            self.sends = sends
            self.walks = walks
        }

        /// All of them.
        package var all: [Pipeline] { [lookups, reads, writes, sends, walks] }
    }

    let pipelines: Pipelines
    let limits: Limits
    let hints: Hints
    let credentials: Gathering<UserID, Credential>
    let lists: Gathering<UserID, ListSnapshot>
    private var knownEpoch: (connection: Int, value: UInt64)?

    /// - Parameter hints: told of every change that this store commits.
    package init(_ pipelines: Pipelines, limits: Limits = Limits(), hints: Hints = Hints()) {
        self.pipelines = pipelines
        self.limits = limits
        self.hints = hints
        credentials = Gathering(
            on: pipelines.lookups, .init(most: 32, atOnce: 1), statement: CredentialLookup.statement,
            decode: CredentialLookup.decode)
        lists = Gathering(
            on: pipelines.reads, .init(most: 16, atOnce: 2),
            scopes: (of: { Self.scope($0.app) }, areSame: { $0.app == $1.app }),
            statement: ListStatement.statement, decode: ListStatement.decode)
    }

    /// Hash of the database's identity, timeline and tables; asked again on every new connection.
    package var epoch: UInt64 {
        get async throws {
            let connection = pipelines.reads.connectionNumber
            if let knownEpoch, knownEpoch.connection == connection { return knownEpoch.value }
            let value = try await faults {
                try await pipelines.reads.row(
                    """
                    SELECT hashtextextended(
                        concat_ws(':', system_identifier,
                            substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
                            'deliveries'::regclass::oid, epoch_salt), 0)
                    FROM pg_control_system(), installation
                    """, scope: nil
                ) { (row) throws(PostgresError) in try row.next(Int64.self) }
            }
            guard let value else { throw StoreFault.broken("the table installation is empty") }
            let epoch = UInt64(bitPattern: value)
            knownEpoch = (connection, epoch)
            return epoch
        }
    }

    package func ping() async throws {
        _ = try await faults {
            try await pipelines.lookups.row("SELECT 1::bigint", scope: nil) { (row) throws(PostgresError) in
                try row.next(Int64.self)
            }
        }
    }

    /// Under which the rows of an app, and no others, are seen.
    static func scope(_ app: AppID) -> Scope { Scope(setting: "martlet.app_id", value: String(app.rawValue)) }

    /// Commits statements together, and then tells whoever watches the views that they change.
    ///
    /// - Parameter locks: inboxes known beforehand.
    func write(
        _ statements: [SQL], for app: AppID, locks: [InboxID] = [], changing views: ChangedViews,
        on pipeline: Pipeline? = nil
    ) async throws -> [QueryResult] {
        let write = Write(scope: Self.scope(app), locks: locks.map(\.rawValue), statements)
        return try await faults {
            let results = try await (pipeline ?? pipelines.writes).write(write)
            try views.tell(hints, of: app, results)
            return results
        }
    }

    /// Says what an error of the database means to use cases; no bound value is in the text.
    func faults<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch let error as PostgresError {
            if error.sqlState == Self.beyondLimit { throw refusal(of: error.message) }
            if error.sqlState == Forestalled.sqlState { throw Forestalled(name: error.message) }
            throw StoreFault(error)
        }
    }

    /// What connections of look-ups, reads and writes set up: all they do is by keys, so a plan that was made while
    /// tables were small must not walk them when they are large; compiling a plan costs more than running it.
    package static let keyedPlans: [SQL] = [
        "SET enable_seqscan = off", "SET plan_cache_mode = force_generic_plan", "SET jit = off",
    ]

    /// What connections of sends set up: they reach few inboxes, but PostgreSQL takes a new message for one that as many
    /// have as any other, and would join whole tables.
    package static let sendPlans: [SQL] =
        keyedPlans + ["SET enable_hashjoin = off", "SET enable_mergejoin = off"]

    /// What connections of chunks set up beside that: a chunk locks its inboxes as it finds them, which is ascending by
    /// their key, while a bitmap would give them as they lie on the disk.
    package static let chunkPlans: [SQL] = sendPlans + ["SET enable_bitmapscan = off"]

    /// The SQLSTATE of `martlet_hold`, whose message is the limit's name.
    private static let beyondLimit = "MT001"

    private func refusal(of limit: String) -> InboxError {
        switch limit {
        case "tags_per_channel":
            .invalid(
                field: "tags", reason: "would be more than \(limits.tagsPerChannel)",
                limit: Limit(limit, limits.tagsPerChannel))
        case "schedules_per_app":
            .invalid(
                field: "", reason: "the app would have more than \(limits.schedulesPerApp) schedules",
                limit: Limit(limit, limits.schedulesPerApp))
        default: preconditionFailure("martlet_hold names a limit of PostgresStore, not \(limit)")
        }
    }

    /// The statement that begins a turn of writes: every inbox that they change, in one order.
    package static func lock(_ inboxes: [Int64]) -> SQL {
        """
        SELECT inbox_id FROM inboxes
        WHERE app_id = martlet_app() AND inbox_id = ANY(\(inboxes))
        ORDER BY inbox_id FOR NO KEY UPDATE
        """
    }
}

/// A transaction failed because another has done it, or something that rules it out: whoever writes one that can be
/// forestalled catches this.
struct Forestalled: Error {
    /// The SQLSTATE of `martlet_forestalled`, whose message is the name.
    static let sqlState = "MT002"

    let name: String
}

extension StoreFault {
    /// What an error of the database means to use cases.
    init(_ error: PostgresError) {
        switch error.kind {
        case .unavailable, .overloaded, .timedOut, .lockTimeout, .conflict:
            self = .unavailable(error.description)
        // A row that another refers to was deleted between a statement's look at it and its write.
        case .constraint(let name) where name.hasSuffix("_fkey"): self = .unavailable(error.description)
        case .outcomeUnknown: self = .outcomeUnknown
        case .constraint, .refused, .decoding, .other: self = .broken(error.description)
        }
    }
}
