#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where Martlet keeps everything when it brings its own PostgreSQL.
///
/// - `postgres/`: the data
/// - `postgres.log`: PostgreSQL's log
/// - `secret.key`: what encrypts stored secrets
/// - `socket-folder`: where PostgreSQL's socket is
/// - `*.lock`: who uses the folder
package struct DataFolder: Sendable {
    /// The absolute path, without links.
    package let path: String

    /// Whether data have been made there; also where we may not look.
    package static func holdsData(_ path: String) -> Bool {
        access("\(path)/postgres", F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// Makes the folder if it does not exist.
    package init(_ path: String) throws(ClusterError) {
        let isNew = !Files.exists(path)
        // PostgreSQL's own account has to pass through when we are root; what is secret has its own mode.
        try Files.makeFolder(path, mode: geteuid() == 0 ? 0o711 : 0o700)
        self.path = try Files.resolve(path)
        if isNew { chmod(self.path, geteuid() == 0 ? 0o711 : 0o700) }  // whatever the umask says
    }

    var data: String { "\(path)/postgres" }
    var log: String { "\(path)/postgres.log" }
    var socketFolderFile: String { "\(path)/socket-folder" }

    func lock(_ name: String) throws(ClusterError) -> FileLock {
        try FileLock("\(path)/\(name).lock")
    }

    /// The path of the key that encrypts stored secrets: 32 random bytes in base64, made on first use.
    ///
    /// Two processes at once get the same key. Losing the file loses what was encrypted with it: it belongs
    /// into the backup.
    /// - Throws: `.file` if others may read it, too.
    package func secretKeyFile() throws(ClusterError) -> String {
        let file = "\(path)/secret.key"
        if !Files.exists(file) {
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            try Files.save(Self.base64(bytes) + "\n", to: file, mode: 0o600, replacing: false)
        }
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw .file(path: file, doing: "reading", reason: Files.reason())
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .file(path: file, doing: "reading", reason: "others may read it too: chmod 600 \(file)")
        }
        return file
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text += place <= group.count ? String(alphabet[bits >> (18 - 6 * place) & 63]) : "="
            }
        }
        return text
    }
}
