extension PostgresValue {
    package static var postgresArrayType: PostgresType { postgresType.array }

    /// The binary form of a one-dimensional array (`array_send` in PostgreSQL's `arrayfuncs.c`).
    package static func encode(_ array: [Self], into writer: inout ParameterWriter) {
        writer.append(Int32(array.isEmpty ? 0 : 1))  // dimensions
        let flags = writer.bytes.count
        writer.append(Int32(0))  // whether it holds NULLs
        writer.append(postgresType.oid)
        guard !array.isEmpty else { return }
        writer.append(Int32(array.count))
        writer.append(Int32(1))  // lower bound
        for element in array {
            let start = writer.bytes.count
            writer.append(Int32(-1))  // the length, and -1 for NULL
            element.encode(into: &writer)
            if writer.isNull {
                writer.isNull = false
                writer.bytes[flags + 3] = 1
            } else {
                let length = UInt32(writer.bytes.count - start - 4).bigEndian
                withUnsafeBytes(of: length) { writer.bytes.replaceSubrange(start..<start + 4, with: $0) }
            }
        }
    }

    package static func decodeArray(_ field: borrowing Field) throws(PostgresError) -> [Self] {
        guard field.oid == postgresArrayType.oid else { throw field.mismatch([Self].self) }
        guard !field.isNull else { throw field.mismatch([Self].self, "is NULL") }
        let bytes = field.bytes
        func integer(at offset: Int) throws(PostgresError) -> Int {
            guard offset + 4 <= bytes.count else { throw field.mismatch([Self].self, "is cut off") }
            return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        guard try integer(at: 0) > 0 else { return [] }
        guard try integer(at: 0) == 1 else { throw field.mismatch([Self].self, "has several dimensions") }
        let oid = UInt32(try integer(at: 8))
        let count = try integer(at: 12)
        var array: [Self] = []
        array.reserveCapacity(count)
        var offset = 20
        for _ in 0..<count {
            let length = try integer(at: offset)
            offset += 4
            guard offset + max(length, 0) <= bytes.count else {
                throw field.mismatch([Self].self, "is cut off")
            }
            let slice = length < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
            let element = Field(oid: oid, value: slice, result: field.result, column: field.column)
            array.append(try Self(field: element))
            offset += max(length, 0)
        }
        return array
    }
}

extension Array: PostgresValue where Element: PostgresValue {
    package static var postgresType: PostgresType { Element.postgresArrayType }

    package func encode(into writer: inout ParameterWriter) {
        Element.encode(self, into: &writer)
    }

    package init(field: borrowing Field) throws(PostgresError) {
        self = try Element.decodeArray(field)
    }
}

/// A byte: alone a `smallint`, in an array `bytea`.
extension UInt8: PostgresValue {
    package static var postgresType: PostgresType { .int2 }
    package static var postgresArrayType: PostgresType { .bytea }

    package func encode(into writer: inout ParameterWriter) {
        writer.append(Int16(self))
    }

    package init(field: borrowing Field) throws(PostgresError) {
        guard let byte = UInt8(exactly: try Int16(field: field)) else {
            throw field.mismatch(Self.self, "is no byte")
        }
        self = byte
    }

    package static func encode(_ array: [UInt8], into writer: inout ParameterWriter) {
        writer.append(contentsOf: array)
    }

    package static func decodeArray(_ field: borrowing Field) throws(PostgresError) -> [UInt8] {
        try field.check([UInt8].self, field.oid == PostgresType.bytea.oid)
        return [UInt8](field.bytes)
    }
}
