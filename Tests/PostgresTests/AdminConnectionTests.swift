import Postgres
import TestSupport
import Testing

struct AdminConnectionTests {
    private struct Stop: Error {}

    @Test func `a transaction is done whole or not at all`() async throws {
        try await withDatabase(counters) { url in
            let connection = try AdminConnection(url)
            try connection.transaction { try $0.execute("UPDATE counters SET n = 1 WHERE id = 1") }
            #expect(throws: Stop.self) {
                try connection.transaction { connection in
                    try connection.execute("UPDATE counters SET n = 2 WHERE id = 1")
                    throw Stop()
                }
            }
            #expect(try connection.counter(1) == 1)
        }
    }

    @Test func `a constraint is named, and the row is not`() async throws {
        try await withDatabase(counters) { url in
            let connection = try AdminConnection(url)
            let error = #expect(throws: PostgresError.self) {
                try connection.execute("INSERT INTO counters VALUES (\(Int64(4)), 987654)")
            }
            #expect(error?.kind == .constraint("counters_pkey"))
            #expect(error?.description.contains("987654") == false)
        }
    }

    @Test func `a server that does not run is unavailable`() throws {
        let error = #expect(throws: PostgresError.self) { try AdminConnection("host=/nowhere") }
        #expect(error?.kind == .unavailable)
    }

    @Test func `a database that does not exist is a refusal`() async throws {
        let configuration = try ConnectionConfiguration(await sharedDatabase()).database("no_such_database")
        let error = #expect(throws: PostgresError.self) { try AdminConnection(configuration) }
        #expect(error?.kind == .refused)
    }

    @Test func `a role that does not exist is a refusal`() async throws {
        let configuration = try ConnectionConfiguration(await sharedDatabase()).role("no_such_role")
        let error = #expect(throws: PostgresError.self) { try AdminConnection(configuration) }
        #expect(error?.kind == .refused)
        #expect(error?.message.contains("no_such_role") == true)
    }
}

struct ConfigurationTests {
    @Test func `a URL and a conninfo text are understood`() throws {
        let url = try ConnectionConfiguration("postgresql://ana:secret@db.example:5433/inbox?sslmode=require")
        #expect(url[keyword: "host"] == "db.example")
        #expect(url[keyword: "port"] == "5433")
        #expect(url[keyword: "dbname"] == "inbox")
        #expect(try ConnectionConfiguration("host=/run dbname=inbox")[keyword: "host"] == "/run")
    }

    @Test func `a malformed URL is refused without its password`() {
        for text in ["postgresql://ana:se%cret@db/inbox", "password=secret hunter2", "host='secret"] {
            let error = #expect(throws: PostgresError.self) { try ConnectionConfiguration(text) }
            #expect(error?.kind == .refused)
            #expect(error?.description.contains("secret") == false)
            #expect(error?.description.contains("hunter2") == false)
            #expect(error?.description.contains("\"\"") == false)
        }
    }

    @Test func `another database of the same server keeps the other keywords`() throws {
        let text = try ConnectionConfiguration(#"host=/run password='it\'s \\ here' dbname=a"#).database("b")
            .conninfo
        let back = try ConnectionConfiguration(text)
        #expect(back[keyword: "password"] == #"it's \ here"#)
        #expect(back[keyword: "dbname"] == "b")
    }
}
