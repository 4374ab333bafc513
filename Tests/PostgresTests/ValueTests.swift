import Foundation
import Platform
import Postgres
import TestSupport
import Testing

struct ValueTests {
    @Test func `a value comes back as it was sent`() async throws {
        try await withConnection { connection in
            func same<Value: PostgresValue & Equatable>(_ value: Value) throws {
                let back: Value = try connection.value("SELECT \(value)")
                #expect(back == value)
            }
            try same(true)
            try same(false)
            try same(Int16.min)
            try same(Int32.max)
            try same(Int64.min)
            try same(-0.5)
            try same("héllo ✓")
            try same("")
            try same([UInt8]([0, 255, 7]))
            try same([UInt8]())
            try same(UUID())
            try same(Instant(rawValue: 0))
            try same(Instant(rawValue: -1))
            try same(Instant(rawValue: 1_767_225_600_123_456))
            try same(Int32?.none)
            try same(Int32?.some(7))
        }
    }

    @Test func `an array comes back as it was sent`() async throws {
        try await withConnection { connection in
            func same<Element: PostgresValue & Equatable>(_ value: [Element]) throws {
                let back: [Element] = try connection.value("SELECT \(value)")
                #expect(back == value)
            }
            try same([true, false])
            try same([Int16]([1, -1]))
            try same([Int32]([1, -1]))
            try same([Int64.min, 0, .max])
            try same([Int64]())
            try same(["", "ä", "c"])
            try same([UUID(), UUID()])
            try same([[1, 2], [], [255]] as [[UInt8]])
            try same([1, nil, 3] as [Int64?])
            try same([Instant(seconds: 1)])
        }
    }

    @Test func `PostgreSQL understands what is sent`() async throws {
        try await withConnection { connection in
            let instant: String = try connection.value(
                "SELECT (\(Instant(milliseconds: 1_500)) AT TIME ZONE 'UTC')::text")
            #expect(instant == "1970-01-01 00:00:01.5")
            let array: String = try connection.value("SELECT \(["a", nil, "c"] as [String?])::text")
            #expect(array == "{a,NULL,c}")
            let bytes: String = try connection.value("SELECT encode(\([1, 171] as [UInt8]), 'hex')")
            #expect(bytes == "01ab")
        }
    }

    @Test func `an id over a raw value needs no code`() async throws {
        try await withConnection { connection in
            let back: [Colour] = try connection.value("SELECT \([Colour.red, .blue])")
            #expect(back == [.red, .blue])
            let error = #expect(throws: PostgresError.self) {
                try connection.value("SELECT 7::smallint", as: Colour.self)
            }
            #expect(error?.kind == .decoding)
        }
    }

    @Test func `a column is never read as another type`() async throws {
        try await withConnection { connection in
            func refuses<Value: PostgresValue>(_ sql: SQL, as type: Value.Type) {
                let error = #expect(throws: PostgresError.self) { try connection.value(sql, as: type) }
                #expect(error?.kind == .decoding)
            }
            refuses("SELECT 1::bigint", as: Int32.self)
            refuses("SELECT 1::integer", as: Int16.self)
            refuses("SELECT 1::numeric", as: Int64.self)
            refuses("SELECT '1'", as: Int32.self)
            refuses("SELECT 1", as: String.self)
            refuses("SELECT NULL::integer", as: Int32.self)
            refuses("SELECT NULL::text", as: String.self)
            refuses("SELECT 'infinity'::timestamptz", as: Instant.self)
            refuses("SELECT ARRAY[1, NULL]", as: [Int32].self)
            refuses("SELECT ARRAY[[1], [2]]", as: [Int32].self)
            refuses("SELECT ARRAY['1']", as: [Int32].self)
        }
    }

    @Test func `a narrower integer is read as a wider one`() async throws {
        try await withConnection { connection in
            let small: Int64 = try connection.value("SELECT (-7)::smallint")
            let middle: Int64 = try connection.value("SELECT (-7)::integer")
            #expect([small, middle] == [-7, -7])
        }
    }

    @Test func `a text is read without a copy`() async throws {
        try await withConnection { connection in
            let rows = try connection.rows("SELECT 'abc', 'def', NULL::text, 4") {
                (row) throws(PostgresError) in
                var bytes: [UInt8] = []
                let first = try row.withNextBytes { span in span?.unsafeLoad(as: UInt8.self) }
                try row.appendNext(to: &bytes)
                let isNull = try row.withNextBytes { $0 == nil }
                return (first, bytes, isNull, try row.next(Int32.self))
            }
            #expect(rows[0] == (0x61, Array("def".utf8), true, 4))
        }
    }

    @Test func `rows that have another shape than expected are errors`() async throws {
        try await withConnection { connection in
            let result = try connection.execute("SELECT i FROM generate_series(1, 2) i")
            let several = #expect(throws: PostgresError.self) { try result.value(Int32.self) }
            #expect(several?.kind == .decoding)
            let short = #expect(throws: PostgresError.self) {
                try result.rows { (row) throws(PostgresError) in
                    (try row.next(Int32.self), try row.next(Int32.self))
                }
            }
            #expect(short?.kind == .decoding)
        }
    }
}

private enum Colour: Int16, PostgresValue {
    case red = 1
    case blue = 2
}

private func withConnection(_ body: (AdminConnection) throws -> Void) async throws {
    try body(try AdminConnection(try await sharedDatabase()))
}
