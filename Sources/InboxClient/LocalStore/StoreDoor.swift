import InboxModel

/// Opens the file of a store, and replaces one that is damaged.
struct StoreDoor {
    private let files: StoreFiles
    private let options: SQLiteStoreOptions

    init(_ files: StoreFiles, _ options: SQLiteStoreOptions) {
        self.files = files
        self.options = options
    }

    /// A connection to a file that is whole, which file that is, and how it was found.
    func open() throws(StoreError) -> (
        connection: SQLiteConnection, identity: UInt64?, opening: StoreOpening
    ) {
        try files.inTurn { () throws(StoreError) in
            let (connection, opening) = try openInTurn()
            return (connection, files.identity, opening)
        }
    }

    /// Sets the file aside and makes one that holds `inbox`.
    ///
    /// The new one is whole before the old one is touched, so that a crash leaves either the one or the other.
    /// - Parameter identity: of the file that is to be replaced.
    /// - Throws: `StoreError.outdated` if another store has replaced it already.
    func renew(_ identity: UInt64?, with inbox: StoredInbox) throws(StoreError) -> (
        connection: SQLiteConnection, identity: UInt64?
    ) {
        try files.inTurn { () throws(StoreError) in
            guard identity == files.identity else { throw .outdated }
            return (try renewInTurn(with: inbox), files.identity)
        }
    }

    private func openInTurn() throws(StoreError) -> (connection: SQLiteConnection, opening: StoreOpening) {
        let isFinished = try finishReplacement()
        try files.protect(files.database)
        do {
            let (connection, isFresh) = try connect()
            // The one who was here before could not tell anybody.
            if isFinished { return (connection, recovery("a replacement was under way", of: connection)) }
            return (connection, isFresh ? .fresh : .opened)
        } catch {
            guard error.isDamage else { throw error }
            let rest = rest()
            let connection = try renewInTurn(with: rest)
            return (connection, recovery(error.description, of: connection))
        }
    }

    private func renewInTurn(with inbox: StoredInbox) throws(StoreError) -> SQLiteConnection {
        try files.removeSuccessor()
        try files.protect(files.successor)
        let successor = try SQLiteConnection(path: files.successor)
        try StoreSchema.configure(successor, options)
        _ = try StoreSchema.prepare(successor, filling: inbox)
        successor.close()
        try files.removeDamaged()
        try files.replaceBySuccessor()
        return try connect().connection
    }

    private func connect() throws(StoreError) -> (connection: SQLiteConnection, isFresh: Bool) {
        let connection = try SQLiteConnection(path: files.database)
        try StoreSchema.configure(connection, options)
        let isFresh = try StoreSchema.prepare(connection)
        try connection.script("PRAGMA journal_mode = WAL")
        _ = try connection.snapshot { () throws(StoreError) in
            try StoreReader(connection: connection).inbox()
        }
        return (connection, isFresh)
    }

    /// Ends a replacement that a crash has interrupted; whether there was one.
    private func finishReplacement() throws(StoreError) -> Bool {
        guard files.exists(files.successor) else { return false }
        guard let successor = try? SQLiteConnection(path: files.successor),
            (try? StoreSchema.isOurs(successor)) == true
        else {
            // Not whole, so the old one was not touched.
            try files.removeSuccessor()
            return false
        }
        successor.close()
        try files.replaceBySuccessor()
        return true
    }

    /// What can be read of the damaged file, if it is one of ours.
    private func rest() -> StoredInbox {
        // Whatever fails here, nothing is what could be read.
        guard let connection = try? SQLiteConnection(path: files.database),
            (try? StoreSchema.isOurs(connection)) == true
        else { return StoredInbox() }
        return StoreReader(connection: connection).rest()
    }

    private func recovery(_ reason: String, of connection: SQLiteConnection) -> StoreOpening {
        let saved = StoreReader(connection: connection).rest()
        var recovery = StoreRecovery(reason: reason)
        recovery.hasInstallation = saved.installation != nil
        recovery.marks = saved.outbox.count
        return .recovered(recovery)
    }
}

extension StoreError: CustomStringConvertible {
    /// For people.
    package var description: String {
        switch self {
        case .failed(let code, let text): "\(text) (\(code))"
        case .senseless(let text): text
        case .outdated: "another store has saved the inbox since"
        case .closed: "the store is closed"
        }
    }
}
