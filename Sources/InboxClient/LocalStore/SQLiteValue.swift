/// A value of a column or of a parameter.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// A text, or null; so do the others.
    package init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }

    package init(_ number: Int64?) { self = number.map(SQLiteValue.integer) ?? .null }

    package init(_ bytes: [UInt8]?) { self = bytes.map(SQLiteValue.bytes) ?? .null }

    package init(_ truth: Bool) { self = .integer(truth ? 1 : 0) }
}

/// A row of an answer, read in the order of its `SELECT`.
package struct SQLiteRow {
    private var values: ArraySlice<SQLiteValue>

    package init(_ values: [SQLiteValue]) { self.values = values[...] }

    /// The next column's text, unless it is null.
    ///
    /// - Throws: `StoreError.senseless` if it is something else; so do the others.
    package mutating func textOrNull() throws(StoreError) -> String? {
        switch next() {
        case .null: return nil
        case .text(let text): return text
        case .integer, .bytes: throw .senseless("a column that should be text is none")
        }
    }

    /// The next column's text.
    package mutating func text() throws(StoreError) -> String {
        guard let text = try textOrNull() else { throw .senseless("a text is missing") }
        return text
    }

    /// The next column's number, unless it is null.
    package mutating func integerOrNull() throws(StoreError) -> Int64? {
        switch next() {
        case .null: return nil
        case .integer(let number): return number
        case .text, .bytes: throw .senseless("a column that should be a number is none")
        }
    }

    /// The next column's number.
    package mutating func integer() throws(StoreError) -> Int64 {
        guard let number = try integerOrNull() else { throw .senseless("a number is missing") }
        return number
    }

    /// The next column's bytes, unless it is null.
    package mutating func bytesOrNull() throws(StoreError) -> [UInt8]? {
        switch next() {
        case .null: return nil
        case .bytes(let bytes): return bytes
        case .integer, .text: throw .senseless("a column that should be bytes is none")
        }
    }

    private mutating func next() -> SQLiteValue { values.popFirst() ?? .null }
}
