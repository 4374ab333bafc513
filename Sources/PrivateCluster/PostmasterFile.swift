#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a running server says about itself in `postmaster.pid` (`pidfile.h` in PostgreSQL's source).
struct PostmasterFile {
    let process: pid_t
    let socketFolder: String
    /// Whether it takes connections.
    let isReady: Bool

    /// Reads the file, if there is one that makes sense.
    init?(data: String) {
        guard let text = Files.text(at: "\(data)/postmaster.pid") else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.first, let process = pid_t(first), process > 1 else { return nil }
        self.process = process
        socketFolder = lines.count > 4 ? lines[4] : ""
        isReady = lines.count > 7 && lines[7].hasPrefix("ready")
    }
}

/// A server that runs on our data, whoever started it.
struct RunningServer: Sendable {
    let process: pid_t
    let data: String
    let socketFolder: String

    /// The server that runs on `data`.
    ///
    /// A file that a dead server left, whose number another program has now, is removed: PostgreSQL itself
    /// would refuse to start because of it.
    static func find(data: String) -> RunningServer? {
        guard let file = PostmasterFile(data: data) else { return nil }
        let server = RunningServer(process: file.process, data: data, socketFolder: file.socketFolder)
        if server.isAlive { return server }
        unlink("\(data)/postmaster.pid")
        return nil
    }

    /// Whether the process lives and is the server of these data.
    var isAlive: Bool {
        // If it is our child and has ended, it would else stay in the process table.
        _ = Subprocess.reap(process)
        guard kill(process, 0) == 0 || errno == EPERM else { return false }
        #if os(Linux)
            // The server's working directory is its data folder; a process that has ended has none.
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/\(process)/cwd", &buffer, buffer.count)
            guard count > 0 else { return false }
            return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) == data
        #else
            return answers  // there is no /proc
        #endif
    }

    /// Whether somebody listens on the server's socket.
    var answers: Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("\(socketFolder)/.s.PGSQL.\(Cluster.port)".utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
