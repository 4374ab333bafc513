import Crypto
import Dispatch
import EventLoop
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import ReferenceInbox
import SimulatorKit
import TestSupport
import Testing

/// Two shards on loops of their own over one database, whose clock stands still until it is set forward, if it is to.
struct TwoShards: HistoryStage {
    private let shards: [Shard]
    private let database: Database
    private let plan: LapsePlan?

    /// What the shards are opened with.
    struct Options: Sendable {
        var limits = Limits()
        var lapse: StoreLapse?
        var fault: PlantedFault?
        /// Whether time passes by itself.
        var clockGoes = false
    }

    /// Opens a stage for as long as `body` runs.
    static func open(
        _ options: Options = Options(), _ body: @escaping @Sendable (TwoShards) async throws -> Void
    ) async throws {
        try await withDatabase(.inbox) { url in
            let (key, _) = SecretKey.generate()
            let database = try await Database(url, key, clockGoes: options.clockGoes)
            try await withLoop { one in
                try await withLoop { other in
                    try await open(options, on: [one, other], database, body)
                }
            }
        }
    }

    private static func open(
        _ options: Options, on loops: [EventLoop], _ database: Database,
        _ body: @escaping @Sendable (TwoShards) async throws -> Void
    ) async throws {
        let flaws = Flaws(options)
        var (doors, shards): ([StoreDoor], [Shard]) = ([], [])
        for (index, loop) in loops.enumerated() {
            let (door, shard) = try await onLoop(loop) {
                let door = try StoreDoor(database.url, on: loop, options.limits)
                var configuration = ShardConfiguration(key: database.key, version: "test")
                configuration.limits = options.limits
                let shard = flaws.shard(door, configuration, on: loop, isSecond: index == 1)
                return (door, shard)
            }
            doors.append(door)
            shards.append(shard)
        }
        let stage = TwoShards(shards: shards, database: database, plan: flaws.lapse)
        let result = await Task { try await body(stage) }.result
        for (door, loop) in zip(doors, loops) {
            await Task(executorPreference: loop) { await door.close() }.value
        }
        try result.get()
    }

    /// Runs `work` on a loop, which owns what it makes.
    private static func onLoop<Value: Sendable>(
        _ loop: EventLoop, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Task(executorPreference: loop) { try await work() }.value
    }

    // MARK: HistoryStage

    func call(_ request: Request, on server: Int) async throws -> Response {
        var request = request
        request.headers.add("Host", "127.0.0.1:8080")
        guard let plan else { return await shards[server].answered(request) }
        return await plan.calling { [request] in await shards[server].answered(request) }
    }

    /// Where a server runs.
    func loop(of server: Int) -> EventLoop { shards[server].loop }

    func advanceClock(by duration: Duration) async throws -> Instant {
        try await database.advance(by: duration)
    }

    func makeApp(_ settings: ReferenceInbox.Settings) async throws -> AppKeys {
        try await database.makeApp(settings)
    }
}

/// What is wrong with the stores of a stage, if anything is.
private struct Flaws: Sendable {
    let lapse: LapsePlan?
    private let memory: PlantMemory?

    init(_ options: TwoShards.Options) {
        lapse = (options.lapse ?? options.fault?.lapse).map { LapsePlan($0) }
        memory = options.fault.map { PlantMemory($0) }
    }

    /// A shard over a store that has the flaw.
    func shard(
        _ door: StoreDoor, _ configuration: ShardConfiguration, on loop: EventLoop, isSecond: Bool
    ) -> Shard {
        if let lapse {
            let store = LapsingStore(door.store(), lapse)
            return Shard(loop: loop, store: store, configuration: configuration)
        }
        if let memory {
            let store = PlantedStore(door.store(), memory, isSecond: isSecond)
            return Shard(loop: loop, store: store, configuration: configuration)
        }
        return Shard(loop: loop, store: door.store(), configuration: configuration)
    }
}

/// A database of histories, as its owner reaches it: by a connection that blocks, on a thread of its own.
private final class Database: Sendable {
    let url: String
    let key: SecretKey
    private let connection: Lock<AdminConnection>
    private let thread = DispatchQueue(label: "clock and apps")
    private let apps = Lock(0)

    init(_ url: String, _ key: SecretKey, clockGoes: Bool) async throws {
        self.url = url
        self.key = key
        let made = try await onDatabaseThread {
            let connection = try AdminConnection(url)
            if !clockGoes { try connection.script(Database.clock) }
            return Lock(connection)
        }
        connection = made
    }

    /// The functions of time read a row that everybody may see.
    private static let clock = """
        CREATE TABLE test_clock (now timestamptz NOT NULL);
        INSERT INTO test_clock VALUES (date_trunc('milliseconds', statement_timestamp()));
        GRANT SELECT ON test_clock TO PUBLIC;
        CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
        AS $$ SELECT now FROM test_clock $$;
        """

    func advance(by duration: Duration) async throws -> Instant {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return try await run { connection in
            try connection.value(
                "UPDATE test_clock SET now = now + \(microseconds) * interval '1 microsecond' RETURNING now")
        }
    }

    func makeApp(_ settings: ReferenceInbox.Settings) async throws -> AppKeys {
        let app = NewSecret.app(under: key)
        let master = NewSecret.master()
        let keys = AppKeys(key: RandomBytes.token22(), appSecret: app.text, masterSecret: master.text)
        let number = apps.withLock { apps in
            apps += 1
            return apps
        }
        try await run { connection in
            guard let key = AppKey(text: keys.key) else { return }
            try AppRegister(connection).create(
                NewApp(
                    name: "app \(number)", key: key, delivery: settings.keepsWithPeople ? .person : .devices,
                    identity: settings.trustsDevices ? .trusted : .verified),
                secrets: [app.stored, master.stored])
            try connection.execute(
                """
                UPDATE apps SET inbox_cap = \(Int32(settings.cap)), filter_mode = \(Int16(settings.filters ? 2 : 0)),
                    filter_untargeted = \(settings.showsUntargeted)
                WHERE app_key = \(keys.key)
                """)
        }
        return keys
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable (AdminConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            thread.async { [connection] in
                continuation.resume(with: Result { try connection.withLock { try work($0) } })
            }
        }
    }
}
