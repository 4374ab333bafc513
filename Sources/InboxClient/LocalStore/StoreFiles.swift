import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The files of a store: the database, what SQLite puts beside it, the damaged one, and one that is to take its place.
struct StoreFiles: Sendable {
    let database: String

    init(_ path: String) { database = URL(fileURLWithPath: path).path }

    /// The one that was set aside last.
    var damaged: String { database + ".damaged" }
    /// Takes the place of the database once it is whole.
    var successor: String { database + ".new" }
    /// Held by whoever opens or replaces the database; empty.
    private var turn: String { database + ".lock" }

    /// Runs `body` while no other store, of this process or another, opens or replaces the database.
    ///
    /// It waits for its turn, however long another takes: that is a moment, and whoever ends leaves the lock.
    func inTurn<Success>(_ body: () throws(StoreError) -> Success) throws(StoreError) -> Success {
        let descriptor = unsafe open(turn, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreFiles.failure("open \(turn)") }
        // The lock ends with the descriptor. It is the open file's own: of one process two exclude each other, too.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw StoreFiles.failure("lock \(turn)") }
        }
        return try body()
    }

    /// Makes an empty file that its owner alone may read and write, or makes what is there such a one.
    ///
    /// The password is in it. What SQLite puts beside a database gets the database's own mode.
    func protect(_ path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
            return
        }
        // What is there is not opened: closing it would undo the locks that SQLite holds on it for this process
        // (https://sqlite.org/howtocorrupt.html, 2.2).
        guard errno == EEXIST, unsafe chmod(path, 0o600) == 0 else {
            throw StoreFiles.failure("protect \(path)")
        }
        for suffix in ["-wal", "-shm"] where exists(path + suffix) { unsafe chmod(path + suffix, 0o600) }
    }

    /// Sets the database aside and puts the successor in its place; again after a crash goes on where it stopped.
    func replaceBySuccessor() throws(StoreError) {
        // The log first: beside another database it would be taken for that one's.
        if exists(database + "-wal") { try move(database + "-wal", to: damaged + "-wal") }
        try remove(database + "-shm")
        if exists(database) { try move(database, to: damaged) }
        try move(successor, to: database)
        try syncFolder()
    }

    /// Removes a successor that did not become whole.
    func removeSuccessor() throws(StoreError) {
        for suffix in ["", "-journal", "-wal", "-shm"] { try remove(successor + suffix) }
    }

    /// Removes what was set aside before, so that no log of it meets another database.
    func removeDamaged() throws(StoreError) {
        for suffix in ["", "-wal", "-shm"] { try remove(damaged + suffix) }
    }

    /// Which file the path names now; nothing if there is none.
    var identity: UInt64? {
        var status = stat()
        return unsafe stat(database, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Whether there is a file.
    func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private func move(_ path: String, to other: String) throws(StoreError) {
        guard unsafe rename(path, other) == 0 else { throw StoreFiles.failure("move \(path)") }
    }

    private func remove(_ path: String) throws(StoreError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw StoreFiles.failure("remove \(path)") }
    }

    /// Makes the names last that files were given.
    private func syncFolder() throws(StoreError) {
        let folder = URL(fileURLWithPath: database).deletingLastPathComponent().path
        let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreFiles.failure("open \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreFiles.failure("sync \(folder)") }
    }

    private static func failure(_ what: String) -> StoreError {
        .failed(code: 14, "\(what): \(unsafe String(cString: strerror(errno)))")  // SQLITE_CANTOPEN
    }
}
