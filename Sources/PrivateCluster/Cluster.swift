#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder of PostgreSQL's data, and how to make, start and stop the server on it.
package struct Cluster: Sendable {
    /// The folder with `PG_VERSION`.
    package let data: String
    /// Where the server's output goes.
    package let log: String
    package let programs: PostgresPrograms
    /// Passed on the command line, so that they hold whatever the files say.
    package var settings: [String] = []

    package init(data: String, log: String, programs: PostgresPrograms) {
        self.data = data
        self.log = log
        self.programs = programs
    }

    /// The superuser, and the database that it owns.
    package static let name = "martlet"
    /// Part of the socket's file name; nothing listens on it.
    package static let port = 5_432

    /// The installed programs that fit the data: the same major version, or the newest for new data.
    static func programs(
        for data: String, environment: [String: String]
    ) throws(ClusterError) -> PostgresPrograms {
        let installed = try PostgresPrograms.installed(environment: environment)
        guard let text = Files.text(at: "\(data)/PG_VERSION"), let version = Int(text.prefix { $0.isNumber })
        else { return installed[0] }
        guard let programs = installed.first(where: { $0.version == version }) else {
            throw .otherVersion(folder: data, data: version, installed: installed.map(\.version))
        }
        return programs
    }

    var exists: Bool { Files.exists("\(data)/PG_VERSION") }

    /// Makes the data, complete or not at all, with the superuser and the database `martlet`.
    ///
    /// - Parameter configuration: lines for `postgresql.conf`.
    package func create(configuration: [String], extra options: [String] = []) throws(ClusterError) {
        let account = try Account.current()
        try account.checkReach(of: data)
        let unfinished = "\(data).new"
        Files.removeFolder(unfinished)
        try account.makeFolder(unfinished)
        do throws(ClusterError) {
            try Subprocess(
                command: account.prefix + [
                    programs.path("initdb"), "--pgdata=\(unfinished)", "--username=\(Self.name)",
                    // Only its own account may enter the socket's folder, so there is nobody to ask for a
                    // password.
                    "--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions",
                ] + options
            ).run()
            try append(configuration, to: "\(unfinished)/postgresql.conf")
            // Alone on the data: no server, no socket and no other program is needed for the first database.
            try Subprocess(
                command: account.prefix + [
                    programs.path("postgres"), "--single", "-D", unfinished, "postgres",
                ]
            ).run(input: "CREATE DATABASE \(Self.name)\n")
        } catch {
            Files.removeFolder(unfinished)
            throw error
        }
        guard rename(unfinished, data) == 0 else {
            throw .file(path: data, doing: "making", reason: Files.reason())
        }
    }

    /// Starts the server and returns its process when it takes connections.
    ///
    /// - Parameters:
    ///   - socketFolder: exists, and only PostgreSQL's account may enter it.
    ///   - isInterrupted: asked while it waits; then the server is stopped again.
    package func start(
        socketFolder: String, isInterrupted: () -> Bool = { false }
    ) throws(ClusterError) -> Int32 {
        let account = try Account.current()
        try account.checkReach(of: data)
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .file(path: log, doing: "writing", reason: Files.reason()) }
        defer { close(output) }
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(input) }
        let logStart = lseek(output, 0, SEEK_END)
        let fixed = [
            "listen_addresses=", "unix_socket_directories=\(socketFolder)", "unix_socket_permissions=0700",
            "port=\(Self.port)", "logging_collector=off", "log_destination=stderr",
        ]
        let process = try Subprocess(
            command: account.prefix + [programs.path("postgres"), "-D", data]
                + (fixed + settings).flatMap { ["-c", $0] }
        ).start(stdin: input, output: output)
        try waitUntilReady(process, logStart: logStart, isInterrupted)
        return process
    }

    /// Stops the server: open transactions are rolled back, and what was committed is on disk.
    func stop(_ server: RunningServer) throws(ClusterError) {
        kill(server.process, SIGINT)  // a "fast shutdown"
        if Self.waits(600, { !server.isAlive }) { return }
        kill(server.process, SIGQUIT)  // at once: the next start recovers from the log
        guard Self.waits(100, { !server.isAlive }) else {
            throw .late("did not stop within 70 s (process \(server.process))", log: log)
        }
    }

    private func waitUntilReady(
        _ process: pid_t, logStart: off_t, _ isInterrupted: () -> Bool
    ) throws(ClusterError) {
        var hasEnded = false
        // Recovery after a crash replays up to `max_wal_size` of log; that takes a minute on a slow disk.
        let isReady = Self.waits(3_000) {
            if Subprocess.reap(process) {
                hasEnded = true
                return true
            }
            if isInterrupted() { return true }
            guard let file = PostmasterFile(data: data) else { return false }
            return file.process == process && file.isReady
        }
        guard !hasEnded else {
            throw .program(programs.path("postgres"), said: lastWords(since: logStart))
        }
        guard !isInterrupted() else {
            kill(process, SIGINT)  // a "fast shutdown"
            guard Self.waits(700, { Subprocess.reap(process) }) else {
                throw .late("did not stop within 70 s (process \(process))", log: log)
            }
            throw .interrupted
        }
        guard isReady else { throw .late("did not start within 5 minutes", log: log) }
    }

    /// The errors that the server logged before it ended.
    private func lastWords(since start: off_t) -> String {
        var status = stat()
        let size = stat(log, &status) == 0 ? status.st_size - start : 0
        let lines = Files.tail(log, bytes: Int(min(max(size, 0), 16_384))).split(separator: "\n")
        // The reason may stand some lines before the last word, "FATAL: configuration file … contains
        // errors".
        let words = lines.suffix(5).joined(separator: "; ")
        return "\(words.isEmpty ? "without a word" : words) (its log is \(log))"
    }

    /// Asks every tenth of a second, at most `tenths` times.
    static func waits(_ tenths: Int, _ isDone: () -> Bool) -> Bool {
        for _ in 0..<tenths * 4 {
            if isDone() { return true }
            usleep(25_000)
        }
        return isDone()
    }

    private func append(_ lines: [String], to file: String) throws(ClusterError) {
        let file = (path: file, descriptor: open(file, O_WRONLY | O_APPEND | O_CLOEXEC))
        defer { close(file.descriptor) }
        let bytes = Array(("\n" + lines.joined(separator: "\n") + "\n").utf8)
        guard write(file.descriptor, bytes, bytes.count) == bytes.count else {
            throw .file(path: file.path, doing: "writing", reason: Files.reason())
        }
    }
}
