import Crypto
import EventLoop
import Foundation
import PrivateCluster
import SimulatorKit

/// A PostgreSQL of the ground's own, whose clock can be set forward and whose past can be brought back.
final class GroundDatabase {
    /// For `--database`.
    let address: String
    /// The installation's key.
    let keyFile: String
    /// Its process, while it runs.
    private(set) var postmaster: pid_t?
    private let cluster: Cluster
    private let socketFolder: String
    private let dump: String
    private let log: String
    private let loop: EventLoop
    /// How far the clock is ahead, also after a restore of an older dump.
    private var ahead = Duration.zero

    /// How long the rest of a killed server may take to leave, and a server to end.
    private static let restartedWithin = Duration.seconds(30)
    private static let endedWithin = Duration.seconds(30)

    /// Where it will be, below a folder; nothing runs yet.
    init(in folder: String, loop: EventLoop) throws {
        let installed = try PostgresPrograms.installed(environment: DataFolder.environment)
        var cluster = Cluster(
            data: "\(folder)/data", log: "\(folder)/postgres.log", programs: installed[0])
        // Processes are killed, never the machine: what was handed to the system counts as written.
        cluster.settings = ["fsync=off", "full_page_writes=off", "max_connections=200", "jit=off"]
        self.cluster = cluster
        socketFolder = "\(folder)/socket"
        address =
            "host=\(socketFolder) port=\(Cluster.port) user=\(Cluster.name) dbname=\(Cluster.name)"
        keyFile = "\(folder)/secret.key"
        dump = "\(folder)/older.dump"
        log = "\(folder)/commands.log"
        self.loop = loop
    }

    /// Makes it, with the installation's key.
    func create() async throws {
        try await offLoop { [cluster, socketFolder] in
            try Account.current().makeFolder(socketFolder)
            try cluster.create(configuration: [], extra: ["--no-sync"])
        }
        let key = Data(SecretKey.generate().file.utf8)
        let isMade = FileManager.default.createFile(
            atPath: keyFile, contents: key, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw GroundError(what: "\(keyFile) could not be written") }
    }

    /// Starts it, and does nothing while it runs.
    ///
    /// Waits for what an earlier one has left that was killed.
    func start() async throws {
        let end = loop.uptime + GroundDatabase.restartedWithin
        while postmaster == nil {
            do {
                postmaster = try await offLoop { [cluster, socketFolder] in
                    try cluster.start(socketFolder: socketFolder)
                }
            } catch {
                guard loop.uptime < end else { throw error }
                try await loop.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Ends all of it at once, and returns when it is gone; nobody starts it again but `start`.
    func kill() async throws { try await end(by: SIGKILL) }

    /// Stops it in good order, and returns when it is gone.
    func stop() async throws { try await end(by: SIGINT) }

    private func end(by number: Int32) async throws {
        guard let process = postmaster else { return }
        postmaster = nil
        signal(number, to: process)
        // It is our child: its number stays its own until we have asked how it ended.
        let isGone = try await loop.waits(GroundDatabase.endedWithin) {
            waitpid(process, nil, WNOHANG) != 0
        }
        guard !isGone else { return }
        signal(SIGKILL, to: process)
        throw GroundError.failed("PostgreSQL did not stop", log: cluster.log)
    }

    // MARK: The clock

    /// Makes the clock one that can be set, once the schema is there and before anybody has asked it.
    func replaceClock() async throws {
        try await run(
            """
            CREATE TABLE test_clock (ahead interval NOT NULL);
            INSERT INTO test_clock VALUES ('0');
            GRANT SELECT ON test_clock TO PUBLIC;
            CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
            AS $$ SELECT statement_timestamp() + ahead FROM test_clock $$;
            """)
    }

    /// Sets the clock forward.
    func stepClock(by step: Duration) async throws {
        precondition(step >= .zero, "the database's clock never goes back")
        ahead += step
        try await setClock()
    }

    private func setClock() async throws {
        try await run("UPDATE test_clock SET ahead = interval '\(ahead.milliseconds) milliseconds'")
    }

    // MARK: The past

    /// Keeps what is there now; in the place of what was kept before.
    func takeDump() async throws {
        _ = try await program("pg_dump").run(["--format=custom", "--file=\(dump)", "--dbname=\(address)"])
    }

    /// Replaces schema and data by what was kept; nobody may be connected.
    ///
    /// The clock stays where it is.
    func restoreWhole() async throws {
        try await restore(["--clean", "--if-exists"])
    }

    /// Replaces the data alone by what was kept; nobody may be connected.
    ///
    /// The clock stays where it is.
    func restoreData() async throws {
        try await run(
            """
            DO $$ BEGIN EXECUTE (
                SELECT 'TRUNCATE ' || string_agg(format('%I.%I', schemaname, tablename), ', ') || ' CASCADE'
                FROM pg_tables WHERE schemaname = 'public');
            END $$;
            """)
        try await restore(["--data-only", "--disable-triggers"])
    }

    private func restore(_ options: [String]) async throws {
        guard FileManager.default.fileExists(atPath: dump) else {
            throw GroundError(what: "there is no dump to restore")
        }
        _ = try await program("pg_restore").run(
            options + ["--exit-on-error", "--dbname=\(address)", dump])
        try await setClock()
    }

    /// Runs statements.
    private func run(_ sql: String) async throws {
        _ = try await program("psql").run([
            "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname=\(address)", "--command=\(sql)",
        ])
    }

    private func program(_ name: String) -> GroundProgram {
        GroundProgram(path: "\(cluster.programs.folder)/\(name)", log: log, loop: loop)
    }
}
