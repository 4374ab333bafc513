import Testing

@testable import Postgres

struct SQLTests {
    @Test func `each interpolation is a parameter`() {
        let sql: SQL = "SELECT \(Int64(7)), \("seven")"
        #expect(sql.text == "SELECT $1, $2")
        #expect(sql.values == [0, 0, 0, 0, 0, 0, 0, 7] + Array("seven".utf8))
    }

    @Test func `joined statements count their parameters on`() {
        let condition: SQL = "a = \(Int32(1))"
        let sql: SQL = "SELECT \(true) WHERE \(condition) OR " + condition + " LIMIT \(Int64(9))"
        #expect(sql.text == "SELECT $1 WHERE a = $2 OR a = $3 LIMIT $4")
        #expect(sql.parameters.map(\.offset) == [0, 1, 5, 9])
    }

    @Test func `NULL has a type and no value`() {
        let sql: SQL = "SELECT \(Int32?.none)"
        #expect(sql.parameters[0].length == nil)
        #expect(sql.parameters[0].type == .int4)
    }

    @Test func `one place in the program is one statement, whatever its values`() {
        func statement(_ id: Int64) -> SQL { "SELECT \(id)" }
        #expect(statement(1).key == statement(2).key)
        #expect(statement(1).key.hashValue == statement(2).key.hashValue)
    }

    @Test func `another type or another text is another statement`() {
        func statement(_ value: some PostgresValue) -> SQL { "SELECT \(value)" }
        #expect(statement(Int64(1)).key != statement("1").key)
        #expect(statement(Int64(1)).key != (statement(Int64(1)) + " LIMIT 1").key)
    }

    @Test func `a text of one character is text, too`() {
        let sql: SQL = "a" + "\("b")" + "c"
        #expect(sql.text == "a$1c")
    }
}
