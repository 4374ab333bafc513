import EventLoop
import Foundation
import HTTPServer
import InboxHTTP
import InboxService
import InboxStorage
import Platform
import PrivateCluster

/// The running server: its database, its loops, and the way to its end.
enum Server {
    /// Serves until a signal ends it; returns when everything was answered and let go.
    ///
    /// - Throws: `CommandFailure` if it cannot start.
    static func run(_ configuration: ServeConfiguration, _ console: Console) async throws {
        Interruption.watch()
        do {
            try await serve(configuration, console)
        } catch _ where Interruption.hasCome {
            console.note("ended before it served")
        }
    }

    private static func serve(_ configuration: ServeConfiguration, _ console: Console) async throws {
        var configuration = configuration
        let descriptors = DescriptorLimit.raise()
        if descriptors > 0 { configuration.limits.http.fit(descriptors: descriptors) }
        let database = try Database.open(configuration.database, for: .serve, console)
        defer { database.close(console) }
        try Interruption.check()
        let plan = try prepare(database, configuration, console)
        try Interruption.check()
        let loops = try start(configuration.loops, plan)
        do {
            try await connect(loops)
            let url = try await listen(loops, at: configuration.listen)
            let ended = AsyncStream<Void>.makeStream()
            await loops[0].onEnd { ended.continuation.finish() }
            await loops[0].startBackground()
            // One that came before the loop looked after them.
            if Interruption.hasCome { ended.continuation.finish() }
            console.note("listening on \(url)")
            for await _ in ended.stream {}
            console.note("draining")
        } catch {
            await stop(loops, within: .zero)
            throw error
        }
        await stop(loops, within: configuration.drainWithin)
    }

    /// Makes the database ready to serve from and holds the key against it.
    private static func prepare(
        _ database: Database, _ configuration: ServeConfiguration, _ console: Console
    ) throws -> ServerPlan {
        if configuration.migrates {
            let applied = try database.migrate()
            if !applied.isEmpty { console.note("applied \(Text.count(applied.count, "migration"))") }
        } else {
            try database.requireSchema()
        }
        try database.requireRights()
        var shard = ShardConfiguration(key: try database.key(), version: Version.current)
        shard.publicURL = configuration.publicURL
        shard.basePath = configuration.basePath
        shard.allowedHosts = Set(configuration.allowedHosts + [configuration.listen.host])
        shard.allowsAddresses = configuration.listen.isEveryAddress
        shard.trustedProxies = configuration.trustedProxies
        shard.limits = configuration.limits.messages
        shard.edgeLimits = configuration.limits.edge
        shard.caches = configuration.limits.caches
        shard.streams = configuration.limits.streamPace
        let sinceStart = Stopwatch()
        shard.rates = RequestRates(configuration.limits.rates) { sinceStart.elapsed }
        shard.log = { console.note($0) }
        let fanOuts = Doorbell()
        shard.fanOutBegan = { fanOuts.ring() }
        return ServerPlan(
            database: database.configuration, shard: shard, limits: configuration.limits, fanOuts: fanOuts)
    }

    private static func start(_ count: Int, _ plan: ServerPlan) throws -> [LoopServer] {
        try (1...count).map { number in
            LoopServer(loop: try EventLoop.start(name: "loop \(number)"), plan: plan)
        }
    }

    private static func connect(_ loops: [LoopServer]) async throws {
        do {
            try await withThrowingTaskGroup { group in
                for loop in loops {
                    group.addTask(executorPreference: loop.loop) { try await loop.connect() }
                }
                try await group.waitForAll()
            }
        } catch let fault as StoreFault {
            throw CommandFailure.refused(
                "PostgreSQL does not answer the server's connections: \(fault)",
                advice: "`martlet doctor`, given the same options, says what it needs")
        }
    }

    /// All loops listen on one port, which the first has found out; returns the URL.
    private static func listen(_ loops: [LoopServer], at address: ListenAddress) async throws -> String {
        do {
            if address.port != 0 { try checkIsFree(host: address.host, port: address.port) }
            var port = address.port
            for loop in loops { port = try await loop.listen(host: address.host, port: port) }
            return address.url(port: port)
        } catch let error as ListenError {
            throw CommandFailure.refused("\(error)", advice: "choose another address with --listen")
        }
    }

    private static func stop(_ loops: [LoopServer], within limit: Duration) async {
        await withTaskGroup { group in
            for loop in loops {
                group.addTask(executorPreference: loop.loop) { await loop.drain(within: limit) }
            }
        }
        for loop in loops { loop.loop.join() }
    }
}
