package import Platform

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A value that can be a parameter of a statement and a column of its result, both in PostgreSQL's binary
/// form.
///
/// An id over a raw value conforms with an empty extension, and so do arrays of it.
package protocol PostgresValue: Sendable {
    /// The type that it is sent as.
    static var postgresType: PostgresType { get }

    /// Writes the value's binary form.
    func encode(into writer: inout ParameterWriter)

    /// Reads a column.
    ///
    /// - Throws: kind `.decoding` if the column has another type or is NULL and `Self` has no place for it.
    init(field: borrowing Field) throws(PostgresError)

    /// The type of an array of it, unless it is the usual one.
    static var postgresArrayType: PostgresType { get }

    /// Writes an array, unless in the usual form.
    static func encode(_ array: [Self], into writer: inout ParameterWriter)

    /// Reads an array, unless from the usual form.
    static func decodeArray(_ field: borrowing Field) throws(PostgresError) -> [Self]
}

/// The bytes of a statement's parameters.
package struct ParameterWriter {
    /// All parameters so far.
    package var bytes: [UInt8]
    /// Set for a parameter that is NULL.
    package var isNull = false

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Appends an integer in network order.
    package mutating func append<Integer: FixedWidthInteger>(_ integer: Integer) {
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are.
    package mutating func append(contentsOf more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }
}

extension PostgresValue where Self: RawRepresentable, RawValue: PostgresValue {
    package static var postgresType: PostgresType { RawValue.postgresType }

    package func encode(into writer: inout ParameterWriter) {
        rawValue.encode(into: &writer)
    }

    package init(field: borrowing Field) throws(PostgresError) {
        guard let value = Self(rawValue: try RawValue(field: field)) else {
            throw field.mismatch(Self.self, "holds a value outside it")
        }
        self = value
    }
}

extension Bool: PostgresValue {
    package static var postgresType: PostgresType { .bool }

    package func encode(into writer: inout ParameterWriter) {
        writer.append(UInt8(self ? 1 : 0))
    }

    package init(field: borrowing Field) throws(PostgresError) {
        try field.check(Self.self, field.oid == PostgresType.bool.oid, bytes: 1)
        self = field.load(UInt8.self) != 0
    }
}

extension PostgresValue where Self: FixedWidthInteger {
    package func encode(into writer: inout ParameterWriter) {
        writer.append(self)
    }
}

// Each integer is read for itself, since generic conversions cost more than all else in a row.

extension Int16: PostgresValue {
    package static var postgresType: PostgresType { .int2 }

    package init(field: borrowing Field) throws(PostgresError) {
        try field.check(Self.self, field.oid == PostgresType.int2.oid, bytes: 2)
        self = field.load(Int16.self)
    }
}

extension Int32: PostgresValue {
    package static var postgresType: PostgresType { .int4 }

    /// Reads `integer` or `smallint`.
    package init(field: borrowing Field) throws(PostgresError) {
        guard field.oid != PostgresType.int2.oid else {
            self = Int32(try Int16(field: field))
            return
        }
        try field.check(Self.self, field.oid == PostgresType.int4.oid, bytes: 4)
        self = field.load(Int32.self)
    }
}

extension Int64: PostgresValue {
    package static var postgresType: PostgresType { .int8 }

    /// Reads `bigint`, `integer` or `smallint`.
    package init(field: borrowing Field) throws(PostgresError) {
        guard field.oid == PostgresType.int8.oid else {
            self = Int64(try Int32(field: field))
            return
        }
        try field.check(Self.self, true, bytes: 8)
        self = field.load(Int64.self)
    }
}

extension Double: PostgresValue {
    package static var postgresType: PostgresType { .double }

    package func encode(into writer: inout ParameterWriter) {
        writer.append(bitPattern)
    }

    package init(field: borrowing Field) throws(PostgresError) {
        try field.check(Self.self, field.oid == PostgresType.double.oid, bytes: 8)
        self = Double(bitPattern: field.load(UInt64.self))
    }
}

extension String: PostgresValue {
    package static var postgresType: PostgresType { .text }

    package func encode(into writer: inout ParameterWriter) {
        writer.append(contentsOf: utf8)
    }

    package init(field: borrowing Field) throws(PostgresError) {
        try field.check(Self.self, PostgresType.isText(field.oid))
        self = String(decoding: field.bytes, as: UTF8.self)
    }
}

extension UUID: PostgresValue {
    package static var postgresType: PostgresType { .uuid }

    package func encode(into writer: inout ParameterWriter) {
        withUnsafeBytes(of: uuid) { writer.append(contentsOf: $0) }
    }

    package init(field: borrowing Field) throws(PostgresError) {
        try field.check(Self.self, field.oid == PostgresType.uuid.oid, bytes: 16)
        self = UUID(uuid: field.bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Instant: PostgresValue {
    package static var postgresType: PostgresType { .timestamptz }
    // Written out, since a raw value would otherwise say: array of integers.
    package static var postgresArrayType: PostgresType { postgresType.array }

    /// PostgreSQL counts microseconds from 2000-01-01, Unix from 1970-01-01.
    private static let epoch: Int64 = 946_684_800_000_000

    package func encode(into writer: inout ParameterWriter) {
        writer.append(rawValue - Self.epoch)
    }

    package init(field: borrowing Field) throws(PostgresError) {
        try field.check(Self.self, field.oid == PostgresType.timestamptz.oid, bytes: 8)
        let (microseconds, overflow) = field.load(Int64.self).addingReportingOverflow(Self.epoch)
        // 'infinity' is the largest Int64.
        guard !overflow else { throw field.mismatch(Self.self, "is infinite") }
        self.init(rawValue: microseconds)
    }
}

extension Optional: PostgresValue where Wrapped: PostgresValue {
    package static var postgresType: PostgresType { Wrapped.postgresType }

    package func encode(into writer: inout ParameterWriter) {
        if let self { self.encode(into: &writer) } else { writer.isNull = true }
    }

    package init(field: borrowing Field) throws(PostgresError) {
        self = field.isNull ? nil : try Wrapped(field: field)
    }
}
