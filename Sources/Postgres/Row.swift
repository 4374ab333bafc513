import CPostgres

/// What a row of a result becomes.
package protocol RowDecodable {
    /// Reads the columns in the order of the `SELECT`.
    init(row: inout Row) throws(PostgresError)
}

/// One row while it is decoded: its columns are read from left to right.
package struct Row: ~Copyable {
    private let result: QueryResult
    private let number: Int32
    private var column: Int32 = 0

    init(_ result: QueryResult, number: Int) {
        self.result = result
        self.number = Int32(number)
    }

    /// The next column.
    ///
    /// - Throws: kind `.decoding` if there is none, or if it has another type.
    package mutating func next<Value: PostgresValue>(
        _ type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        try Value(field: nextField())
    }

    /// The bytes of the next column, a `text` or `bytea`, without a copy; nil for NULL.
    package mutating func withNextBytes<Success>(
        _ body: (RawSpan?) throws(PostgresError) -> Success
    ) throws(PostgresError) -> Success {
        let field = try nextField()
        return try body(field.value?.bytes)
    }

    /// Appends the bytes of the next column, a `text` or `bytea` that is not NULL, to `buffer`.
    package mutating func appendNext(to buffer: inout [UInt8]) throws(PostgresError) {
        let field = try nextField()
        guard let bytes = field.value else { throw field.mismatch([UInt8].self, "is NULL") }
        buffer.append(contentsOf: bytes)
    }

    private mutating func nextField() throws(PostgresError) -> Field {
        let field = try result.field(row: number, column: column)
        column += 1
        return field
    }
}

/// One value of a row: type and bytes as PostgreSQL sent them, valid while the row is decoded.
package struct Field: ~Copyable {
    let oid: UInt32
    let value: UnsafeRawBufferPointer?
    /// Where it stands, for errors.
    let result: QueryResult
    let column: Int32

    /// Whether it is NULL.
    package var isNull: Bool { value == nil }

    /// The bytes; empty for NULL.
    var bytes: UnsafeRawBufferPointer { value ?? UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Holds the column to a PostgreSQL type, `isType`, and to a size.
    func check(
        _ type: any PostgresValue.Type, _ isType: Bool, bytes count: Int? = nil
    ) throws(PostgresError) {
        guard isType else { throw mismatch(type) }
        guard let value else { throw mismatch(type, "is NULL") }
        guard count == nil || count == value.count else { throw mismatch(type, "has another size") }
    }

    /// The integer that begins the bytes; `check` has held their number.
    func load<Integer: FixedWidthInteger & BitwiseCopyable>(_ type: Integer.Type) -> Integer {
        Integer(bigEndian: bytes.loadUnaligned(as: type))
    }

    /// The error that says why the column is no `type`; never with its value.
    package func mismatch(_ type: Any.Type, _ reason: String? = nil) -> PostgresError {
        let reason = reason ?? "has the type with OID \(oid)"
        return PostgresError(.decoding, "column \(result.columnName(column)), read as \(type), \(reason)")
    }
}
