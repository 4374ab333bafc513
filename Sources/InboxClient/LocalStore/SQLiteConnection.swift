internal import CSQLite
import Foundation

/// A connection to a database of SQLite; one thread at a time may use it.
@safe package final class SQLiteConnection {
    private var handle: OpaquePointer?
    /// By their text: all statements that were ever run.
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens a file that is there.
    package init(path: String) throws(StoreError) {
        // Absolute, since `:memory:` and the like are no files.
        let path = URL(fileURLWithPath: path).path
        let code = unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            let error = unsafe StoreError(code, on: handle)
            unsafe sqlite3_close_v2(handle)
            throw error
        }
        unsafe sqlite3_extended_result_codes(handle, 1)
    }

    deinit { close() }

    /// Closes it; the last one of a file brings what the log holds into it.
    package func close() {
        statements = [:]
        unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
    }

    /// Runs a statement that answers nothing; parameters are `?1`, `?2` and so on.
    package func run(_ sql: String, _ values: SQLiteValue...) throws(StoreError) {
        try each(sql, values) { _ throws(StoreError) in }
    }

    /// Hands over the rows of an answer, one by one: those before an error too.
    package func each(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        try statement(sql).run(values, body)
    }

    /// The number in the first column of the first row; nothing if there is no row.
    package func number(_ sql: String, _ values: SQLiteValue...) throws(StoreError) -> Int64? {
        var found: Int64?
        try each(sql, values) { row throws(StoreError) in
            var row = row
            if found == nil { found = try row.integerOrNull() }
        }
        return found
    }

    /// Runs several statements without parameters.
    package func script(_ sql: String) throws(StoreError) {
        guard let handle = unsafe handle else { throw .closed }
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw unsafe StoreError(code, on: handle) }
    }

    /// Runs `body` in a transaction that is undone if it throws.
    package func transaction<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        // At once: a lock that is asked for later is refused if somebody wrote meanwhile.
        try run("BEGIN IMMEDIATE")
        return try end(body)
    }

    /// Runs `body`, all of which reads the same state, whatever others write meanwhile.
    package func snapshot<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try run("BEGIN")
        return try end(body)
    }

    private func end<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has undone it already (https://sqlite.org/lang_transaction.html, 3).
            // A rollback that fails is no news beside the error: the next transaction will say so.
            if unsafe sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        guard let handle = unsafe handle else { throw .closed }
        let statement = try unsafe SQLiteStatement(sql, on: handle)
        statements[sql] = statement
        return statement
    }
}

extension StoreError {
    /// What SQLite says of its last failure.
    init(_ code: Int32, on connection: OpaquePointer?) {
        guard let connection = unsafe connection else {
            self = .failed(code: code, "out of memory")
            return
        }
        self = unsafe .failed(
            code: sqlite3_extended_errcode(connection), String(cString: sqlite3_errmsg(connection)))
    }

    /// Whether the file is to blame, and not its surroundings: no second try will help.
    package var isDamage: Bool {
        switch self {
        case .senseless: true
        case .outdated, .closed: false
        case .failed(let code, _):
            // Some readings that fail do so for what is in the file; SQLITE_ERROR is a table that is not there.
            [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH].contains(
                code & 0xFF)
                || [StoreError.shortRead, StoreError.wrongChecksum, StoreError.corruptFileSystem].contains(
                    code)
        }
    }

    // SQLITE_IOERR with 2, 32 and 33: macros that do not import.
    private static let shortRead: Int32 = 10 | 2 << 8
    private static let wrongChecksum: Int32 = 10 | 32 << 8
    private static let corruptFileSystem: Int32 = 10 | 33 << 8
}
