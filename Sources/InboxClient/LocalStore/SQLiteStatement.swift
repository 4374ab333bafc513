internal import CSQLite

/// A prepared statement, which lives as long as its connection keeps it.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer

    /// - Throws: `StoreError.failed` if SQLite does not understand it.
    init(_ sql: String, on connection: OpaquePointer) throws(StoreError) {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else {
            throw unsafe StoreError(code, on: connection)
        }
        unsafe handle = prepared
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Runs it to its end, and hands over each row.
    func run(
        _ values: [SQLiteValue], _ body: (SQLiteRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
        while true {
            let code = unsafe sqlite3_step(handle)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw unsafe StoreError(code, on: sqlite3_db_handle(handle)) }
            try body(row())
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) throws(StoreError) {
        let code =
            switch value {
            case .null: unsafe sqlite3_bind_null(handle, index)
            case .integer(let number): unsafe sqlite3_bind_int64(handle, index, number)
            case .text(let text): unsafe martlet_bind_text(handle, index, text, Int32(text.utf8.count))
            case .bytes(let bytes): unsafe martlet_bind_blob(handle, index, bytes, Int32(bytes.count))
            }
        guard code == SQLITE_OK else { throw unsafe StoreError(code, on: sqlite3_db_handle(handle)) }
    }

    private func row() -> SQLiteRow {
        let count = unsafe sqlite3_column_count(handle)
        return SQLiteRow((0..<count).map(value))
    }

    private func value(at column: Int32) -> SQLiteValue {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_TEXT: .text(String(decoding: bytes(at: column), as: UTF8.self))
        case SQLITE_BLOB: .bytes(bytes(at: column))
        default: .null  // no column is a floating-point number
        }
    }

    private func bytes(at column: Int32) -> [UInt8] {
        // The pointer first: asking for it may convert, and the count is that of the last conversion.
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
