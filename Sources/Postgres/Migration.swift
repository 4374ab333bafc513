/// One step of the schema, from a file `NNNN_name.sql`.
package struct Migration: Sendable {
    /// Counts from 1 without gaps.
    package let number: Int32
    /// The file's name without number and ending.
    package let name: String
    /// The file.
    package let sql: [UInt8]

    package init(number: Int32, name: String, sql: [UInt8]) {
        self.number = number
        self.name = name
        self.sql = sql
    }
}

/// Why a database was not migrated; the description says what to do.
package enum MigrationError: Error, Sendable, CustomStringConvertible {
    /// An applied file is not the one that this program carries.
    case changed(number: Int32, name: String)
    /// The database was migrated by a newer program.
    case newer(database: Int32, program: Int32)
    /// The program's own list has a gap.
    case gap(expected: Int32, found: Int32)
    /// A file did not run; nothing of it was kept.
    case failed(number: Int32, name: String, PostgresError)

    package var description: String {
        switch self {
        case .changed(let number, let name):
            """
            migration \(number) (\(name)) was applied to this database from another text than this program \
            has: run the program's version that made the database, or restore the file; applied migrations \
            never change
            """
        case .newer(let database, let program):
            """
            the database is at migration \(database), this program knows only \(program): run the newer \
            program, or restore the backup that was made before its migration
            """
        case .gap(let expected, let found):
            "migration \(expected) is missing: the next file has number \(found)"
        case .failed(let number, let name, let error):
            "migration \(number) (\(name)) failed and was taken back: \(error)"
        }
    }
}
