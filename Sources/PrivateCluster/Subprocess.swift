import CSystem

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Programs of PostgreSQL's, run apart from our session, signals and descriptors.
package struct Subprocess {
    /// Program and arguments.
    package let command: [String]

    package init(command: [String]) {
        self.command = command
    }

    /// Runs to the end and returns what was printed, standard error included.
    ///
    /// - Throws: `.program` with the last lines if it fails.
    @discardableResult
    func run(input: String = "") throws(ClusterError) -> String {
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else { throw failed(Files.reason()) }
        let stdin = try inputFile(input)
        defer { close(stdin) }
        let process: pid_t
        do throws(ClusterError) {
            process = try start(stdin: stdin, output: pipes[1])
        } catch {
            close(pipes[0])
            close(pipes[1])
            throw error
        }
        close(pipes[1])
        let output = Files.text(from: pipes[0]) ?? ""
        close(pipes[0])
        guard Self.waitForEnd(process) == 0 else { throw failed(Self.lastLines(output)) }
        return output
    }

    /// Starts it and returns its id; `reap` or `run` must wait for it.
    package func start(stdin: Int32, output: Int32) throws(ClusterError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, stdin, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A session of its own: Control-C in the terminal is for us, and we stop PostgreSQL ourselves.
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        // Listening sockets and locks of ours must not live on in PostgreSQL.
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETSID
        #else
            flags |= Int32(MARTLET_SPAWN_SETSID)
            martlet_close_from(&actions, 3)
        #endif
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)

        let arguments = command.map { strdup($0) } + [nil]
        let environment = Self.environment.map { strdup($0) } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var process = pid_t()
        let code = posix_spawnp(&process, command[0], &actions, &attributes, arguments, environment)
        guard code == 0 else { throw failed(Files.reason(code)) }
        return process
    }

    /// Whether a child has ended; its entry in the process table is gone then.
    static func reap(_ process: pid_t) -> Bool {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) != 0
    }

    private static func waitForEnd(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        return status
    }

    /// English messages, the caller's `PATH`, and nothing that would point to another PostgreSQL (`PGDATA`,
    /// …).
    private static var environment: [String] {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return ["PATH=\(path)", "LC_ALL=C", "TZ=UTC"]
    }

    private func inputFile(_ input: String) throws(ClusterError) -> Int32 {
        guard !input.isEmpty else { return open("/dev/null", O_RDONLY | O_CLOEXEC) }
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else { throw failed(Files.reason()) }
        let bytes = Array(input.utf8)
        precondition(bytes.count <= 4_096, "fits the pipe, so that writing does not wait")
        write(pipes[1], bytes, bytes.count)
        close(pipes[1])
        return pipes[0]
    }

    private func failed(_ reason: String) -> ClusterError {
        let program = command.first { $0.contains("/") && !$0.hasSuffix("setpriv") } ?? command[0]
        return .program(program, said: reason)
    }

    private static func lastLines(_ output: String) -> String {
        let lines = output.split(separator: "\n").suffix(6)
        return lines.isEmpty ? "without a word" : lines.joined(separator: "; ")
    }
}
