import Platform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// PostgreSQL in a data folder: running from `open` to `close`, and as long as anybody else uses it.
///
/// Three locks, taken in this order: `serve.lock` is the one `serve`'s; `start.lock` is held while the server
/// is started or stopped; `use.lock` is shared by all who use it, and whoever leaves last stops the server.
/// They end with the process, so after a crash the server runs on, and the next one adopts it.
package final class PrivateCluster: Sendable {
    /// Who opens a folder.
    package enum Purpose: Sendable {
        /// `martlet serve`: one at a time; keeps the server alive.
        case serve
        /// Another command, for its own duration.
        case command
    }

    /// For libpq: the socket, and the superuser's database.
    package let connectionString: String
    private let folder: DataFolder
    private let cluster: Cluster
    private let socketFolder: String
    private let serveLock: FileLock?
    private let startLock: FileLock
    private let useLock: FileLock
    private let state = Lock(State())

    private struct State {
        var supervisor: Supervisor?
        var isClosed = false
    }

    /// How long starting and stopping by another process may take: longer than they wait themselves.
    static let lockWithinSeconds = 400

    init(
        folder: DataFolder, purpose: Purpose, environment: [String: String],
        report: @escaping @Sendable (String) -> Void, isInterrupted: () -> Bool
    ) throws(ClusterError) {
        self.folder = folder
        serveLock = purpose == .serve ? try Self.takeServeLock(folder) : nil
        startLock = try folder.lock("start")
        useLock = try folder.lock("use")
        cluster = Cluster(
            data: folder.data, log: folder.log,
            programs: try Cluster.programs(for: folder.data, environment: environment))
        socketFolder = try Self.join(cluster, folder, (startLock, useLock), isInterrupted)
        connectionString =
            "host=\(socketFolder) port=\(Cluster.port) user=\(Cluster.name) dbname=\(Cluster.name)"
        guard purpose == .serve else { return }
        let supervisor = Supervisor { [cluster, folder, startLock] in
            try Self.restart(cluster, folder, startLock, report)
        }
        state.withLock { $0.supervisor = supervisor }
    }

    /// Gives the server up, and stops it if nobody else uses it; again is a no-op.
    ///
    /// - Throws: `.late` if it does not stop.
    package func close() throws(ClusterError) {
        let supervisor = state.withLock { state -> Supervisor?? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            return state.supervisor
        }
        guard let supervisor else { return }
        supervisor?.stop()
        try startLock.exclusive(within: Self.lockWithinSeconds)
        defer {
            startLock.release()
            serveLock?.release()
        }
        useLock.release()
        guard useLock.tryExclusive() else { return }
        defer { useLock.release() }
        guard let server = RunningServer.find(data: cluster.data) else { return }
        try cluster.stop(server)
        rmdir(socketFolder)
    }

    // MARK: Private parts

    private static func takeServeLock(_ folder: DataFolder) throws(ClusterError) -> FileLock {
        let lock = try folder.lock("serve")
        guard lock.tryExclusive() else {
            throw .owned(folder: folder.path, process: lock.writtenProcess)
        }
        lock.writeProcess()
        return lock
    }

    /// Becomes one of the users of the cluster, which is made if it does not exist; returns its socket's
    /// folder.
    private static func join(
        _ cluster: Cluster, _ folder: DataFolder, _ locks: (start: FileLock, use: FileLock),
        _ isInterrupted: () -> Bool
    ) throws(ClusterError) -> String {
        try locks.start.exclusive(within: lockWithinSeconds)
        defer { locks.start.release() }
        if !cluster.exists { try cluster.create(configuration: configuration) }
        guard !isInterrupted() else { throw .interrupted }
        // Whoever stops the server holds `start.lock`, so nobody has this one alone now.
        guard locks.use.tryShared() else {
            throw .file(path: folder.path, doing: "sharing", reason: "another program has locked it")
        }
        return try ensureRuns(cluster, folder, isInterrupted)
    }

    /// Adopts the running server or starts one, with `start.lock` held; returns its socket's folder.
    private static func ensureRuns(
        _ cluster: Cluster, _ folder: DataFolder, _ isInterrupted: () -> Bool = { false }
    ) throws(ClusterError) -> String {
        if let server = RunningServer.find(data: cluster.data) {
            // Its starter has waited for it, unless it was killed meanwhile.
            let isReady = Cluster.waits(600) {
                !server.isAlive || (PostmasterFile(data: cluster.data)?.isReady ?? false)
            }
            guard isReady else { throw .late("runs, but takes no connections", log: cluster.log) }
            if server.isAlive { return server.socketFolder }
        }
        let socketFolder = try SocketFolder.prepare(folder, try Account.current())
        LogFile(path: folder.log).bound()
        _ = try cluster.start(socketFolder: socketFolder, isInterrupted: isInterrupted)
        return socketFolder
    }

    /// One round of the supervisor: starts the server again if it has died.
    private static func restart(
        _ cluster: Cluster, _ folder: DataFolder, _ startLock: FileLock, _ report: (String) -> Void
    ) throws(ClusterError) {
        LogFile(path: folder.log).bound()
        guard RunningServer.find(data: cluster.data) == nil else { return }
        guard startLock.tryExclusive() else { return }  // another process is at it
        defer { startLock.release() }
        guard RunningServer.find(data: cluster.data) == nil else { return }
        report("the private PostgreSQL has ended; starting it again")
        do throws(ClusterError) {
            _ = try ensureRuns(cluster, folder)
        } catch {
            report("\(error)")
            throw error
        }
    }

    /// Defaults for `postgresql.conf`; an operator may change them there.
    private static let configuration = [
        "# Martlet's defaults, which you may change:",
        "shared_buffers = '128MB'",
        "max_connections = 100",
        "wal_compression = on",
        "max_wal_size = '1GB'",
        "checkpoint_timeout = '15min'",
        // Compiling a statement costs more than any of ours takes.
        "jit = off",
        "log_line_prefix = '%m [%p] '",
        // Neither statements' values nor the rows that errors quote belong into a log.
        "log_error_verbosity = terse",
        "log_min_error_statement = panic",
        "log_parameter_max_length = 0",
        "log_parameter_max_length_on_error = 0",
    ]
}

extension DataFolder {
    /// Makes the cluster if there is none, starts it if it does not run, and keeps it running until `close`.
    ///
    /// Blocks: making takes some seconds, and so may recovery after a crash.
    /// - Parameters:
    ///   - environment: `MARTLET_POSTGRES_BIN` and `PATH` say where PostgreSQL's programs are.
    ///   - report: called on another thread with what an operator should know.
    ///   - isInterrupted: asked now and then; once it says so, no server is left that was not there before.
    /// - Throws: `ClusterError`; `.owned` if another `serve` has the folder.
    package func open(
        for purpose: PrivateCluster.Purpose, environment: [String: String] = DataFolder.environment,
        report: @escaping @Sendable (String) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
    ) throws(ClusterError) -> PrivateCluster {
        try PrivateCluster(
            folder: self, purpose: purpose, environment: environment, report: report,
            isInterrupted: isInterrupted)
    }

    /// The process's environment, as far as it says where PostgreSQL is.
    package static var environment: [String: String] {
        var environment: [String: String] = [:]
        for name in ["MARTLET_POSTGRES_BIN", "PATH"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        return environment
    }
}
