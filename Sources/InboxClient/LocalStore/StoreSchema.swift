import InboxModel

/// The tables of a local store, and how they came to be what they are.
enum StoreSchema {
    /// What marks a file as a store of ours: the letters `Mlet`.
    static let applicationID: Int64 = 0x4D6C_6574

    /// Forward only; a file's `user_version` says how many it has been through.
    static let steps = [first, second, third, fourth, fifth]

    /// Makes a connection what stores need: what was answered is on the disk, and a reader never waits for a writer.
    ///
    /// `synchronous=FULL`, since a user who has deleted a message has deleted it, whatever the battery says; the cost is
    /// one flush for each action of a person. `fullfsync` makes Apple's systems flush the disk's own cache, too.
    static func configure(_ connection: SQLiteConnection, _ options: SQLiteStoreOptions) throws(StoreError) {
        try connection.script(
            """
            PRAGMA busy_timeout = \(options.busyMilliseconds);
            PRAGMA synchronous = FULL;
            PRAGMA fullfsync = ON;
            PRAGMA foreign_keys = ON;
            PRAGMA cell_size_check = ON;
            PRAGMA trusted_schema = OFF;
            """)
        let page = try connection.number("PRAGMA page_size") ?? 4096
        try connection.script("PRAGMA max_page_count = \(max(8, options.mostBytes / page))")
    }

    /// Brings a file to the newest schema; an empty one is filled with `inbox`.
    ///
    /// - Returns: whether it was empty.
    /// - Throws: an error that `isDamage` if it is no store, a newer one, or not whole.
    static func prepare(
        _ connection: SQLiteConnection, filling inbox: StoredInbox = StoredInbox()
    ) throws(StoreError) -> Bool {
        if try isOurs(connection) { try check(connection) }
        guard try version(of: connection) != steps.count else { return false }
        // Another process may be about to do the same: whoever comes second finds it done.
        return try connection.transaction { () throws(StoreError) in
            let version = try version(of: connection)
            try migrate(connection, from: version)
            if version == 0 { try StoreWriter(connection).replace(inbox) }
            return version == 0
        }
    }

    /// How many steps a file has been through.
    private static func version(of connection: SQLiteConnection) throws(StoreError) -> Int {
        let version = try connection.number("PRAGMA user_version") ?? 0
        guard try !isOurs(connection) else {
            guard version <= steps.count else {
                throw .senseless("the file is of a newer version, \(version)")
            }
            return Int(version)
        }
        let tables = try connection.number("SELECT count(*) FROM sqlite_schema") ?? 0
        let foreign = try connection.number("PRAGMA application_id") ?? 0
        guard foreign == 0, tables == 0, version == 0 else {
            throw .senseless("the file belongs to something else")
        }
        return 0
    }

    /// Whether a file is a store, of whatever version.
    static func isOurs(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
        try connection.number("PRAGMA application_id") == applicationID
    }

    private static func migrate(_ connection: SQLiteConnection, from version: Int) throws(StoreError) {
        for step in steps[version...] { try connection.script(step) }
        try connection.script("PRAGMA user_version = \(steps.count)")
        try connection.script("PRAGMA application_id = \(applicationID)")
    }

    /// Pages, indexes and references; what rows say is judged when they are read.
    private static func check(_ connection: SQLiteConnection) throws(StoreError) {
        try connection.each("PRAGMA integrity_check(1)") { row throws(StoreError) in
            var row = row
            let verdict = try row.text()
            if verdict != "ok" { throw .senseless(verdict) }
        }
        try connection.each("PRAGMA foreign_key_check") { _ throws(StoreError) in
            throw .senseless("a row refers to nothing")
        }
    }

    /// Messages stand apart from rows: views share them, and the last row takes its message with it.
    private static let first = """
        CREATE TABLE state (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            writer INTEGER NOT NULL DEFAULT 0,
            last_mark INTEGER NOT NULL DEFAULT 0,
            channel TEXT, secret TEXT,
            user TEXT, password TEXT, server_channel TEXT,
            is_confirmed INTEGER NOT NULL DEFAULT 0, confirmed_person TEXT
        ) STRICT;
        CREATE TABLE stretches (number INTEGER PRIMARY KEY, person TEXT, proof TEXT) STRICT;
        CREATE TABLE marks (
            number INTEGER PRIMARY KEY,
            stretch INTEGER NOT NULL REFERENCES stretches,
            message TEXT NOT NULL, mark TEXT NOT NULL
        ) STRICT;
        CREATE INDEX marks_by_stretch ON marks (stretch);
        CREATE TABLE views (number INTEGER PRIMARY KEY, person TEXT, cursor TEXT, validator TEXT) STRICT;
        CREATE TABLE messages (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            title TEXT NOT NULL, content_type TEXT NOT NULL, body_bytes INTEGER,
            extra BLOB NOT NULL, icon TEXT,
            sent INTEGER NOT NULL, expires INTEGER,
            reporting BLOB, body_url TEXT
        ) STRICT;
        CREATE INDEX messages_by_id ON messages (id);
        CREATE TABLE rows (
            view INTEGER NOT NULL REFERENCES views,
            message INTEGER NOT NULL REFERENCES messages,
            is_unread INTEGER NOT NULL, place TEXT NOT NULL,
            PRIMARY KEY (view, message)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX rows_by_message ON rows (message);
        CREATE TRIGGER last_row_of_message AFTER DELETE ON rows
        WHEN NOT EXISTS (SELECT 1 FROM rows WHERE message = old.message)
        BEGIN DELETE FROM messages WHERE number = old.message; END;
        """

    /// The number says how often the file was saved to, where it said who had opened it last.
    private static let second = "ALTER TABLE state RENAME COLUMN writer TO revision;"

    /// What a mark's message is known by goes with the mark: the message may be gone before the mark is told.
    private static let third = """
        ALTER TABLE marks ADD COLUMN reporting BLOB;
        UPDATE marks SET reporting =
            (SELECT reporting FROM messages WHERE id = marks.message AND reporting IS NOT NULL LIMIT 1);
        """

    private static let fourth = "ALTER TABLE views ADD COLUMN is_cut INTEGER NOT NULL DEFAULT 0;"

    /// Lists that come without cursors, and with times in seconds, are to come again: only they tell the order within.
    private static let fifth = """
        ALTER TABLE rows ADD COLUMN tie INTEGER NOT NULL DEFAULT 0;
        UPDATE views SET validator = NULL WHERE cursor IS NULL;
        """

    /// The version from which on marks have that.
    static let marksWithReporting: Int64 = 3
}
