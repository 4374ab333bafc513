import Postgres
import TestSupport
import Testing

struct MigratorTests {
    private static let one = Migration(
        number: 1, name: "create_a", sql: Array("CREATE TABLE a (x int); INSERT INTO a VALUES (1)".utf8))
    private static let two = Migration(number: 2, name: "create_b", sql: Array("CREATE TABLE b ()".utf8))
    private static let broken = Migration(
        number: 2, name: "break", sql: Array("CREATE TABLE b (); SELECT no_such_column".utf8))

    @Test func `what is pending is applied in order, once`() async throws {
        try await withDatabase { url in
            let connection = try AdminConnection(url)
            #expect(try Migrator.status(connection, [Self.two, Self.one]).pending == [1, 2])
            #expect(try Migrator.migrate(connection, [Self.one]) == [1])
            #expect(try Migrator.migrate(connection, [Self.two, Self.one]) == [2])
            #expect(try Migrator.migrate(connection, [Self.one, Self.two]) == [])
            let status = try Migrator.status(connection, [Self.one, Self.two])
            #expect(status.applied == [1, 2])
            #expect(status.pending == [])
            #expect(try connection.value("SELECT count(*) FROM a", as: Int64.self) == 1)
        }
    }

    @Test func `a file that fails is taken back, and those before it stay`() async throws {
        try await withDatabase { url in
            let connection = try AdminConnection(url)
            let error = #expect(throws: MigrationError.self) {
                try Migrator.migrate(connection, [Self.one, Self.broken])
            }
            #expect(error?.description.contains("migration 2 (break)") == true)
            #expect(try connection.value("SELECT to_regclass('b') IS NULL", as: Bool.self))
            #expect(try Migrator.migrate(connection, [Self.one, Self.two]) == [2])
        }
    }

    @Test func `an applied file that has changed is refused`() async throws {
        try await withDatabase { url in
            let connection = try AdminConnection(url)
            try Migrator.migrate(connection, [Self.one, Self.two])
            let error = #expect(throws: MigrationError.self) {
                try Migrator.migrate(connection, [Self.one, Self.broken])
            }
            #expect(error?.description.hasPrefix("migration 2 (break) was applied") == true)
            #expect(throws: MigrationError.self) { try Migrator.status(connection, [Self.one, Self.broken]) }
        }
    }

    @Test func `a database that is newer than the program is refused`() async throws {
        try await withDatabase { url in
            let connection = try AdminConnection(url)
            try Migrator.migrate(connection, [Self.one, Self.two])
            let error = #expect(throws: MigrationError.self) {
                try Migrator.migrate(connection, [Self.one])
            }
            #expect(error?.description.hasPrefix("the database is at migration 2") == true)
        }
    }

    @Test func `a gap in the files is refused`() async throws {
        try await withDatabase { url in
            let connection = try AdminConnection(url)
            #expect(throws: MigrationError.self) { try Migrator.migrate(connection, [Self.two]) }
        }
    }

    @Test func `two at once apply each file once`() async throws {
        try await withDatabase { url in
            let slow = Migration(
                number: 1, name: "slow", sql: Array("CREATE TABLE slow (); SELECT pg_sleep(0.2)".utf8))
            async let first = onItsThread { try Migrator.migrate(try AdminConnection(url), [slow]) }
            async let second = onItsThread { try Migrator.migrate(try AdminConnection(url), [slow]) }
            let applied = try await [first, second]
            #expect(applied.sorted { $0.count < $1.count } == [[], [1]])
        }
    }
}
