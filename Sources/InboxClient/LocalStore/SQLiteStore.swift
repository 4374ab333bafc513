import InboxModel
import Platform

/// How a store in a file behaves.
package struct SQLiteStoreOptions: Sendable {
    /// Bytes that the file may grow to; what would make it larger is refused as if the disk were full.
    package var mostBytes: Int64 = 256 << 20
    /// How long a transaction waits for one of another process.
    package var busyMilliseconds = 5_000
    /// Told of each point of a save at which the process may end; for tests.
    package var reached: @Sendable (StorePoint) -> Void = { _ in }

    package init() {}
}

/// A point of a save.
package enum StorePoint: Hashable, Sendable {
    /// The transaction has begun.
    case begun
    /// A statement is about to run.
    case statement
    /// All is written, and nothing is committed.
    case written
    /// It is on the disk, and nobody was told.
    case committed
}

/// Keeps an inbox in a file of SQLite.
///
/// What `save` was given is on the disk when it returns (`synchronous=FULL`): an action that a user saw happen survives
/// an empty battery. A damaged file is set aside and replaced when it is opened, and `opening` says so.
///
/// Several stores may have one file open, such as an app and an extension of it. A number in the file grows with each
/// save; whoever is not at that number is refused by `StoreError.outdated`, loads, and does it again. No lock is held
/// between two calls, since a phone's system ends apps that it suspends while they hold one.
package final class SQLiteStore: LocalStore {
    /// How the file was found.
    package let opening: StoreOpening
    private let files: StoreFiles
    private let options: SQLiteStoreOptions
    private let file: Lock<OpenFile?>
    private let recovery: Lock<StoreRecovery?>

    /// A connection, the file that it is of, and how far this store knows it.
    private struct OpenFile {
        let connection: SQLiteConnection
        let identity: UInt64?
        /// The file's number when it was last loaded or saved; nothing before it was loaded.
        var revision: Int64?
    }

    /// Opens or makes a file in a folder that is there.
    ///
    /// - Throws: `StoreError.failed` if its surroundings do not allow it: folder, rights, disk.
    package init(path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()) throws(StoreError) {
        files = StoreFiles(path)
        self.options = options
        let opened = try StoreDoor(files, options).open()
        opening = opened.opening
        recovery = Lock(opened.opening.recovery)
        file = Lock(
            OpenFile(
                connection: opened.connection, identity: opened.identity,
                revision: try SQLiteStore.revision(of: opened.connection)))
    }

    package func load() throws -> StoredInbox {
        try file.withLock { [files, options, recovery] file throws(StoreError) in
            guard var open = file else { throw .closed }
            if open.identity != files.identity {
                open.connection.close()
                let opened = try StoreDoor(files, options).open()
                if let recovered = opened.opening.recovery { recovery.withLock { $0 = recovered } }
                open = OpenFile(connection: opened.connection, identity: opened.identity)
            }
            let (inbox, revision) = try open.connection.snapshot { () throws(StoreError) in
                let inbox = try StoreReader(connection: open.connection).inbox()
                return (inbox, try SQLiteStore.revision(of: open.connection))
            }
            open.revision = revision
            file = open
            return inbox
        }
    }

    package func loadIfChanged() throws -> StoredInbox? {
        let isCurrent = try file.withLock { [files] file throws(StoreError) in
            guard let open = file else { throw .closed }
            guard open.identity == files.identity else { return false }
            return try SQLiteStore.revision(of: open.connection) == open.revision
        }
        return isCurrent ? nil : try load()
    }

    package func save(_ changes: [StoreChange]) throws {
        try write { writer throws(StoreError) in
            for change in changes { try writer.apply(change) }
        }
    }

    package func replace(_ inbox: StoredInbox) throws {
        do {
            try write { writer throws(StoreError) in try writer.replace(inbox) }
        } catch {
            guard error.isDamage else { throw error }
            try renew(with: inbox)
            var recovered = StoreRecovery(reason: error.description)
            recovered.hasInstallation = inbox.installation != nil
            recovered.marks = inbox.outbox.count
            recovery.withLock { [recovered] in $0 = recovered }
        }
    }

    package func takeRecovery() -> StoreRecovery? {
        recovery.withLock { recovery in
            defer { recovery = nil }
            return recovery
        }
    }

    package func close() {
        file.withLock { file in
            file?.connection.close()
            file = nil
        }
    }

    /// Runs a transaction, if nobody has saved since this store knew all that is kept.
    private func write(_ body: @Sendable (StoreWriter) throws(StoreError) -> Void) throws(StoreError) {
        try file.withLock { [files, reached = options.reached] file throws(StoreError) in
            guard var open = file else { throw .closed }
            guard open.identity == files.identity else { throw .outdated }
            open.revision = try open.connection.transaction { () throws(StoreError) in
                reached(.begun)
                let revision = try SQLiteStore.revision(of: open.connection)
                guard revision == open.revision else { throw .outdated }
                try body(StoreWriter(open.connection, reached: reached))
                try open.connection.run("UPDATE state SET revision = ?1", .integer(revision + 1))
                reached(.written)
                return revision + 1
            }
            file = open
            reached(.committed)
        }
    }

    /// Sets a file aside that was damaged while it was open.
    private func renew(with inbox: StoredInbox) throws(StoreError) {
        try file.withLock { [files, options] file throws(StoreError) in
            guard let open = file else { throw .closed }
            let renewed = try StoreDoor(files, options).renew(open.identity, with: inbox)
            open.connection.close()
            file = OpenFile(
                connection: renewed.connection, identity: renewed.identity,
                revision: try SQLiteStore.revision(of: renewed.connection))
        }
    }

    /// How often the file was saved to.
    private static func revision(of connection: SQLiteConnection) throws(StoreError) -> Int64 {
        guard let revision = try connection.number("SELECT revision FROM state") else {
            throw .senseless("there is no state")
        }
        return revision
    }
}
