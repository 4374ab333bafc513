import Platform
import Postgres
import TestSupport
import Testing

@Test func `a value comes back as it was sent`() async throws {
    try await withDatabase { url in
        let connection = try AdminConnection(url)
        func same<Value: PostgresValue & Equatable>(_ value: Value) throws {
            let back: Value = try connection.value("SELECT \(value)")
            #expect(back == value)
        }
        try same(true)
        try same(Int16.min)
        try same([Int64.min, 0, .max])
        try same("héllo ✓")
        try same([UInt8]([0, 255, 7]))
        try same(Optional<Int32>.none)
    }
}
