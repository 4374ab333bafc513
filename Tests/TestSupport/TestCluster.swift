import PrivateCluster
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A PostgreSQL server of the tests' own, fast and not durable, that is gone with this process however it
/// ends.
package final class TestCluster: Sendable {
    /// For libpq, with the superuser and the database `martlet`.
    package let connectionString: String
    /// Everything that it keeps; also the socket's folder.
    package let folder: String
    private let cluster: Cluster
    private let current: Atomic<pid_t>

    /// Makes a cluster and starts it; takes about two seconds.
    package init() throws {
        folder = try TestFolder.make(for: try Account.current())
        let programs = try PostgresPrograms.installed(environment: DataFolder.environment)
        var cluster = Cluster(data: "\(folder)/data", log: "\(folder)/log", programs: programs[0])
        cluster.settings = ["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0"]
        self.cluster = cluster
        connectionString = "host=\(folder) port=\(Cluster.port) user=\(Cluster.name) dbname=\(Cluster.name)"
        let configuration = ["shared_buffers = '64MB'", "max_connections = 1000"]
        try cluster.create(configuration: configuration, extra: ["--no-sync"])
        current = Atomic(try cluster.start(socketFolder: folder))
    }

    /// The server's process.
    package var process: Int32 { current.load(ordering: .relaxed) }

    /// Ends the server with its backends at once, as a crash does, and waits for its end.
    package func crash() {
        kill(process, SIGQUIT)
        wait()
    }

    /// Stops the server politely: connections are ended with a word.
    package func stop() {
        kill(process, SIGINT)
        wait()
    }

    /// Starts the server again.
    package func start() throws {
        current.store(try cluster.start(socketFolder: folder), ordering: .relaxed)
    }

    private func wait() {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
