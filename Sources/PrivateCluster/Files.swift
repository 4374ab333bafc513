import CSystem

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What we do with files and folders, with errors as text.
enum Files {
    /// The text of `errno`.
    static func reason(_ code: Int32 = errno) -> String {
        String(cString: strerror(code))
    }

    /// Makes a folder and those above it; one that exists stays as it is.
    static func makeFolder(_ path: String, mode: mode_t) throws(ClusterError) {
        if mkdir(path, mode) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw .file(path: path, doing: "making the folder", reason: reason())
        }
        try makeFolder(String(path[..<slash]), mode: 0o755)
        guard mkdir(path, mode) == 0 || errno == EEXIST else {
            throw .file(path: path, doing: "making the folder", reason: reason())
        }
    }

    /// The absolute path without links.
    static func resolve(_ path: String) throws(ClusterError) -> String {
        guard let resolved = realpath(path, nil) else {
            throw .file(path: path, doing: "looking for", reason: reason())
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// The first 64 KiB of a file, or nil if there is none to read.
    static func text(at path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return text(from: file)
    }

    /// What is left in a descriptor, at most 64 KiB.
    static func text(from file: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { fill(file, $0, from: count) }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { return nil }
            if more == 0 { break }
            count += more
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// The last bytes of a file, from the beginning of a line.
    static func tail(_ path: String, bytes limit: Int) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        lseek(file, max(0, size - off_t(limit)), SEEK_SET)
        let text = text(from: file) ?? ""
        guard size > limit, let newline = text.firstIndex(of: "\n") else { return text }
        return String(text[text.index(after: newline)...])
    }

    /// Writes a file so that readers see all of it or nothing, also after a crash.
    ///
    /// - Returns: false if the file existed and `replacing` is off; it stays as it is then.
    @discardableResult
    static func save(
        _ text: String, to path: String, mode: mode_t, replacing: Bool
    ) throws(ClusterError) -> Bool {
        let temporary = "\(path).\(getpid()).new"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw .file(path: path, doing: "writing", reason: reason()) }
        defer { unlink(temporary) }
        let bytes = Array(text.utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let code = errno
        close(file)
        guard isWritten else { throw .file(path: path, doing: "writing", reason: reason(code)) }
        // A link, unlike a rename, never takes the place of a file.
        if (replacing ? rename(temporary, path) : link(temporary, path)) == 0 { return true }
        if !replacing, errno == EEXIST { return false }
        throw .file(path: path, doing: "writing", reason: reason())
    }

    /// Removes a folder and what is in it; links are removed, not followed.
    static func removeFolder(_ path: String) {
        martlet_remove_folder(path)
    }

    private static func fill(_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        return read(file, base + start, bytes.count - start)
    }
}

/// `flock` on a file of its own: ends with the descriptor, so also with the process.
final class FileLock: Sendable {
    private let file: Int32
    private let path: String

    init(_ path: String) throws(ClusterError) {
        self.path = path
        // Not inherited: a PostgreSQL that we start would else hold the lock after we are gone.
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .file(path: path, doing: "opening", reason: Files.reason()) }
    }

    deinit {
        close(file)
    }

    /// Takes the lock alone, if nobody has it.
    func tryExclusive() -> Bool {
        flock(file, LOCK_EX | LOCK_NB) == 0
    }

    /// Takes the lock with others, if nobody has it alone.
    func tryShared() -> Bool {
        flock(file, LOCK_SH | LOCK_NB) == 0
    }

    /// Waits for the lock.
    func exclusive(within seconds: Int) throws(ClusterError) {
        for _ in 0..<seconds * 20 {
            if tryExclusive() { return }
            usleep(50_000)
        }
        throw .file(path: path, doing: "locking", reason: "another martlet has held it for \(seconds) s")
    }

    func release() {
        flock(file, LOCK_UN)
    }

    /// The process that wrote its id here.
    var writtenProcess: Int32? {
        Files.text(at: path).flatMap { Int32($0.prefix { $0.isNumber }) }
    }

    /// Writes our id, for others to read.
    func writeProcess() {
        let text = Array("\(getpid())\n".utf8)
        ftruncate(file, 0)
        pwrite(file, text, text.count, 0)
    }
}
