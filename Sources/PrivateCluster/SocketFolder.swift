#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The folder of the server's socket: short, since a socket's path has at most 107 bytes (103 on Apple
/// platforms), and entered by PostgreSQL's account alone.
///
/// Its path stays the same while anybody uses the data, also when the server is started again, so it is
/// written down in the data folder.
enum SocketFolder {
    /// The folder, made if it does not exist; `start.lock` is held, and no server runs on the data.
    ///
    /// A lock that a dead server left there is removed: PostgreSQL itself would refuse to start because of it, if
    /// another program has the dead one's number or nobody has asked yet how it ended.
    static func prepare(_ folder: DataFolder, _ account: Account) throws(ClusterError) -> String {
        if let text = Files.text(at: folder.socketFolderFile) {
            let path = String(text.prefix { $0 != "\n" })
            if path.hasPrefix(prefix) {
                if account.owns(path) {
                    unlink("\(path)/.s.PGSQL.\(Cluster.port).lock")
                    return path
                }
                // Gone after a reboot; else somebody else's folder, which is left alone.
                if mkdir(path, 0o700) == 0, chown(path, account.user, account.group) == 0 { return path }
            }
        }
        let path = try make(account)
        try Files.save("\(path)\n", to: folder.socketFolderFile, mode: 0o600, replacing: true)
        return path
    }

    // Not `TMPDIR`, which is long on Apple platforms. PostgreSQL touches its socket every hour, so cleaners
    // of /tmp leave it alone.
    private static let prefix = "/tmp/martlet-"

    /// A new folder under a name that nobody can guess.
    private static func make(_ account: Account) throws(ClusterError) -> String {
        var template = Array("\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .file(path: prefix, doing: "making the socket's folder", reason: Files.reason())
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard chown(path, account.user, account.group) == 0 else {
            throw .file(path: path, doing: "giving away", reason: Files.reason())
        }
        return path
    }
}

/// PostgreSQL's log, kept from growing without bound.
struct LogFile {
    let path: String

    /// Twice this is what it takes on disk: weeks of a healthy server, hours of one in trouble.
    private static let limitBytes: off_t = 8 * 1_024 * 1_024

    /// Moves what is there to `….1` once it is over the limit.
    func bound() {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > Self.limitBytes else { return }
        // The server has the file open and appends, so it is copied and emptied, not renamed.
        let source = open(path, O_RDWR | O_CLOEXEC)
        let target = open("\(path).1", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            close(source)
            close(target)
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(source, &bytes, bytes.count), count > 0 {
            guard write(target, bytes, count) == count else { break }
        }
        ftruncate(source, 0)
    }
}
