import CPostgres

/// The rows that one statement gave.
// Sendable, because a `PGresult` is only read once it has arrived (libpq's manual, "Behavior in Threaded
// Programs").
package final class QueryResult: @unchecked Sendable {
    private let result: OpaquePointer
    /// Number of rows.
    package let count: Int

    /// Takes over a `PGresult`.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit {
        PQclear(result)
    }

    /// Rows that an INSERT, UPDATE or DELETE touched, or that a SELECT gave.
    package var affected: Int {
        guard let text = PQcmdTuples(result) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    /// All rows, each read by its type.
    package func rows<R: RowDecodable>(_ type: R.Type = R.self) throws(PostgresError) -> [R] {
        try rows { (row) throws(PostgresError) in try R(row: &row) }
    }

    /// All rows, each read by `body`.
    package func rows<R>(_ body: (inout Row) throws(PostgresError) -> R) throws(PostgresError) -> [R] {
        var rows: [R] = []
        rows.reserveCapacity(count)
        for number in 0..<count {
            var row = Row(self, number: number)
            rows.append(try body(&row))
        }
        return rows
    }

    /// Reads each row in turn.
    package func forEach(_ body: (inout Row) throws(PostgresError) -> Void) throws(PostgresError) {
        for number in 0..<count {
            var row = Row(self, number: number)
            try body(&row)
        }
    }

    /// The only row, or nil if there is none.
    ///
    /// - Throws: kind `.decoding` if there are several.
    package func row<R: RowDecodable>(_ type: R.Type = R.self) throws(PostgresError) -> R? {
        try row { (row) throws(PostgresError) in try R(row: &row) }
    }

    /// The only row, read by `body`, or nil if there is none.
    package func row<R>(_ body: (inout Row) throws(PostgresError) -> R) throws(PostgresError) -> R? {
        guard count <= 1 else { throw PostgresError(.decoding, "\(count) rows where one was expected") }
        guard count == 1 else { return nil }
        var row = Row(self, number: 0)
        return try body(&row)
    }

    /// The first column of the only row.
    ///
    /// - Throws: kind `.decoding` unless there is exactly one row.
    package func value<Value: PostgresValue>(
        _ type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard let value = try row({ (row) throws(PostgresError) in try row.next(type) }) else {
            throw PostgresError(.decoding, "no row where one was expected")
        }
        return value
    }

    /// Whether the rows have a column with this name.
    package func hasColumn(_ name: String) -> Bool { PQfnumber(result, name) >= 0 }

    /// The values of the column with this name, in the order of the rows.
    ///
    /// - Throws: kind `.decoding` if there is no such column, or if it has another type.
    package func column<Value: PostgresValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(PostgresError) -> [Value] {
        let column = PQfnumber(result, name)
        guard column >= 0 else { throw PostgresError(.decoding, "no column is named \(name)") }
        var values: [Value] = []
        values.reserveCapacity(count)
        for row in 0..<count { values.append(try Value(field: field(row: Int32(row), column: column))) }
        return values
    }

    func field(row: Int32, column: Int32) throws(PostgresError) -> Field {
        guard column < PQnfields(result) else {
            throw PostgresError(.decoding, "the row has only \(column) columns")
        }
        var value: UnsafeRawBufferPointer?
        if PQgetisnull(result, row, column) == 0, let bytes = PQgetvalue(result, row, column) {
            value = UnsafeRawBufferPointer(start: bytes, count: Int(PQgetlength(result, row, column)))
        }
        return Field(oid: PQftype(result, column), value: value, result: self, column: column)
    }

    func columnName(_ column: Int32) -> String {
        PQfname(result, column).map { String(cString: $0) } ?? "\(column + 1)"
    }
}
