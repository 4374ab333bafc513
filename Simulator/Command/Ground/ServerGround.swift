import Crypto
import EventLoop
import Foundation
import SimulatorKit

/// Real servers over a real PostgreSQL in a folder of their own, for a plan to do harm to.
///
/// Confined to its loop, which it never blocks. What was started ends with `stop`, or else with this process.
actor ServerGround {
    /// What a ground is made of.
    struct Options: Sendable {
        /// The path of `martlet`; by default beside the running program.
        var program = Options.besideThisProgram
        /// How many servers there are.
        var servers = 2
        /// What absolute addresses in answers begin with, at every server: a list's date is also that of these.
        var publicURL = "http://martlet.test"
        /// More options of `serve`.
        var more: [String] = []

        private static var besideThisProgram: String {
            let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
            return own.deletingLastPathComponent().appendingPathComponent("martlet").path
        }
    }

    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Where everything lies, the logs among it.
    nonisolated let folder: String
    let database: GroundDatabase
    private(set) var instances: [ServedInstance] = []
    private let options: Options
    private let program: GroundProgram
    private let caretaker: Caretaker
    private var hasStopped = false

    /// Makes the folder; nothing runs yet.
    init(_ options: Options, on loop: EventLoop) throws {
        self.loop = loop
        self.options = options
        // Short: the path of a Unix socket has room for about 100 bytes.
        let folder = "/tmp/martlet-ground-\(RandomBytes.token22().prefix(8))"
        // PostgreSQL's own account has to pass through.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o711])
        self.folder = folder
        caretaker = try Caretaker(of: folder)
        database = try GroundDatabase(in: folder, loop: loop)
        program = GroundProgram(path: options.program, log: "\(folder)/commands.log", loop: loop)
    }

    /// Starts PostgreSQL, makes the schema, and starts all servers.
    ///
    /// - Throws: what did not start, with its last words; then nothing runs any more.
    func start() async throws {
        do {
            try await database.create()
            try await database.start()
            _ = try await program.run(["migrate"] + installation)
            try await database.replaceClock()
            instances = (0..<options.servers).map { number in
                ServedInstance(
                    number: number, program: options.program, arguments: serveArguments, folder: folder,
                    loop: loop)
            }
            for instance in instances { try await instance.start() }
        } catch {
            let reason = error
            do { try await stop(keepingLogs: true) } catch { throw reason }
            throw reason
        }
    }

    /// Where each server listens; also while it is away.
    var ports: [UInt16] { instances.map(\.port) }

    /// Makes an app, while PostgreSQL runs.
    func makeApp(_ name: String, _ settings: GroundApp.Settings = .init()) async throws -> GroundApp {
        let made = try await program.run(
            [
                "app", "create", name, "--json", "--delivery", settings.delivery.rawValue, "--identity",
                settings.identity.rawValue,
            ] + installation)
        if settings.filter != .off {
            _ = try await program.run(
                ["app", "set", name, "--filter", settings.filter.rawValue] + installation)
        }
        return try JSONDecoder().decode(GroundApp.self, from: Data(made.utf8))
    }

    /// Ends everything that it has started, and removes what it has written; again is a no-op.
    ///
    /// Goes on when the caller's task is cancelled.
    /// - Parameter keepsLogs: leaves the folder with its logs, for people to look at; so does a failure.
    func stop(keepingLogs keepsLogs: Bool = false) async throws {
        guard !hasStopped else { return }
        hasStopped = true
        try await Task(executorPreference: loop) { try await self.end(keepingLogs: keepsLogs) }.value
    }

    private func end(keepingLogs keepsLogs: Bool) async throws {
        var failure: (any Error)?
        for instance in instances {
            do { try await instance.stop() } catch { failure = error }
        }
        do { try await database.stop() } catch { failure = error }
        do { try await caretaker.end() } catch { failure = error }
        if let failure { throw failure }
        if !keepsLogs { try FileManager.default.removeItem(atPath: folder) }
    }

    /// What `doctor` says of a new epoch: needed after a restore of the data alone.
    func beginEpoch() async throws {
        let earlier = LogFile.lines(of: program.log).count
        // PostgreSQL does not wait for the disk here, which it calls bad.
        _ = try await program.run(["doctor", "--new-epoch"] + installation, expecting: [0, 1])
        let said = LogFile.lines(of: program.log).dropFirst(earlier)
        guard said.contains(where: { $0.contains("a new epoch has begun") }) else {
            throw GroundError.failed("no new epoch has begun", log: program.log)
        }
    }

    private var installation: [String] {
        ["--database", database.address, "--secret-key-file", database.keyFile]
    }

    private var serveArguments: [String] {
        // Devices by the thousand come from one address, and as fast as they can.
        let withoutRates = ["requests-per-credential", "requests-per-app", "failed-logins-per-address"]
            .flatMap { ["--limit-\($0)", "0"] }
        return installation + ["--public-url", options.publicURL, "--drain-seconds", "5"] + withoutRates
            + ["--limit-address-connections", "1000000"] + options.more
    }
}
