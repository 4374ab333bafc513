import Crypto
import Foundation
import InboxStorage
import Platform
import Postgres
import PrivateCluster

/// A database in use by a command: how to reach it, a connection of its administrator, and the installation's key.
struct Database {
    /// For further connections.
    let configuration: ConnectionConfiguration
    let connection: AdminConnection
    private let keyFile: String?
    private let cluster: PrivateCluster?

    /// Connects; a data folder's PostgreSQL is started if it does not run, and stopped by the last `close`.
    ///
    /// - Throws: `CommandFailure.refused` with advice.
    static func open(
        _ choice: DatabaseChoice, for purpose: PrivateCluster.Purpose, _ console: Console
    ) throws -> Database {
        switch choice {
        case .folder(let path):
            return try open(folder: path, for: purpose, console)
        case .server(let configuration, let keyFile):
            return Database(
                configuration: configuration, connection: try connect(configuration), keyFile: keyFile,
                cluster: nil)
        }
    }

    /// Runs `body` with a database for the duration of a command; a data folder's schema is brought up to date.
    ///
    /// - Parameter making: whether a data folder that has no data yet gets them; otherwise it is refused, since
    ///   whoever asks about data in the wrong folder should hear of it.
    static func with<Success>(
        _ choice: DatabaseChoice, _ console: Console, making: Bool = false, migrating: Bool = true,
        _ body: (Database) throws -> Success
    ) throws -> Success {
        if !making, case .folder(let path) = choice, !DataFolder.holdsData(path) {
            throw CommandFailure.refused(
                "there are no data in \(path)",
                advice: "`martlet serve` makes them; --data (or MARTLET_DATA) says where they are, "
                    + "--database (or DATABASE_URL) names a PostgreSQL instead")
        }
        let database = try open(choice, for: .command, console)
        defer { database.close(console) }
        do {
            // Nobody else takes care of a private database's schema.
            if migrating, database.cluster != nil { try database.migrate() }
            return try body(database)
        } catch let error as PostgresError {
            throw CommandFailure.refused(
                "the database refused: \(error)", advice: "`martlet doctor` says what it needs")
        }
    }

    /// Lets a data folder's PostgreSQL go; what was committed is safe, whatever happens here.
    func close(_ console: Console) {
        do throws(ClusterError) {
            try cluster?.close()
        } catch {
            console.note("martlet: \(error)")
        }
    }

    /// The installation's key, held against the one that the database was first used with.
    ///
    /// - Throws: `CommandFailure.refused` with advice.
    func key() throws -> SecretKey {
        guard let keyFile else {
            throw CommandFailure.usage([
                "--secret-key-file (or MARTLET_SECRET_KEY_FILE) is missing: with --database it is required",
                "make one, once, for all servers: (umask 077; head -c 32 /dev/urandom | base64 > secret.key)",
            ])
        }
        let key = try DatabaseKey.read(keyFile)
        try DatabaseKey.check(key, from: keyFile, connection)
        return key
    }

    /// Holds the key file against the database without tying one to the other; false if none is tied to it yet.
    ///
    /// - Throws: `CommandFailure.refused` with advice.
    func checkKey() throws -> Bool {
        guard let keyFile else {
            throw CommandFailure.refused("no --secret-key-file (or MARTLET_SECRET_KEY_FILE)")
        }
        return try DatabaseKey.fits(try DatabaseKey.read(keyFile), from: keyFile, connection)
    }

    /// Applies what is pending and returns the numbers.
    ///
    /// - Throws: `CommandFailure.refused` with advice.
    @discardableResult
    func migrate() throws -> [Int32] {
        let rights = try ServingRights(connection)
        guard rights.missing.isEmpty || rights.canMakeRoles else { throw Database.lacks(rights) }
        do {
            return try Migrator.migrate(connection, Schema.migrations)
        } catch let error as MigrationError {
            throw CommandFailure.refused("\(error)")
        }
    }

    /// - Throws: `CommandFailure.refused` with the SQL to run, if the user may not do what a server does.
    func requireRights() throws {
        let rights = try ServingRights(connection)
        guard rights.missing.isEmpty else { throw Database.lacks(rights) }
    }

    private static func lacks(_ rights: ServingRights) -> CommandFailure {
        let reason = "the database user lacks rights; an administrator of the database has to run:"
        return .refused(([reason] + rights.missing.map { "    \($0)" }).joined(separator: "\n"))
    }

    /// - Throws: `CommandFailure.refused` where `migrate` would refuse.
    func schemaStatus() throws -> Migrator.Status {
        do {
            return try Migrator.status(connection, Schema.migrations)
        } catch let error as MigrationError {
            throw CommandFailure.refused("\(error)")
        }
    }

    /// - Throws: `CommandFailure.refused` unless the schema is the one that this program knows.
    func requireSchema() throws {
        let pending = try schemaStatus().pending
        guard pending.isEmpty else {
            throw CommandFailure.refused(
                "the database lacks \(Text.count(pending.count, "migration"))",
                advice: "run `martlet migrate` first")
        }
    }

    private static func open(
        folder path: String, for purpose: PrivateCluster.Purpose, _ console: Console
    ) throws -> Database {
        let folder: DataFolder
        let keyFile: String
        let cluster: PrivateCluster
        let isNew = !DataFolder.holdsData(path)
        do throws(ClusterError) {
            folder = try DataFolder(path)
            keyFile = try folder.secretKeyFile()
            cluster = try folder.open(
                for: purpose, report: { console.note("martlet: \($0)") },
                isInterrupted: { Interruption.hasCome })
        } catch {
            throw CommandFailure.refused("\(error)")
        }
        if isNew { console.note("made \(folder.path), with a PostgreSQL of its own") }
        do {
            let configuration = try ConnectionConfiguration(cluster.connectionString)
            return Database(
                configuration: configuration, connection: try connect(configuration), keyFile: keyFile,
                cluster: cluster)
        } catch {
            // What matters is the first error; a server that does not stop now stops with the next command.
            _ = try? cluster.close()
            throw error
        }
    }

    private static func connect(_ configuration: ConnectionConfiguration) throws(CommandFailure)
        -> AdminConnection
    {
        do {
            return try AdminConnection(configuration)
        } catch {
            let advice =
                error.kind == .refused
                ? "check user, password and database name in the address"
                : "check that PostgreSQL runs there and that the address is right"
            throw .refused("the database cannot be reached: \(error.message)", advice: advice)
        }
    }
}
