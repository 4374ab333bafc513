import InboxStorage
import InboxWire
import Postgres

extension Command {
    /// `martlet migrate`.
    static let migrate = Command(
        "migrate", "Bring the database's schema to this version",
        details: """
            `martlet serve` does this by itself unless told --no-migrate. Two at once wait for each other. A schema
            that is newer than this program, or was changed by hand, is refused. There is no way back but a backup.
            """,
        takes: ([], [.dryRun] + DatabaseChoice.options),
        examples: ["martlet migrate --database postgresql://martlet@db/martlet", "martlet migrate --dry-run"]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        let isDryRun = arguments.isOn(.dryRun)
        try arguments.finish()
        guard let choice else { return }
        let (applied, pending) = try Database.with(choice, console, making: !isDryRun, migrating: false) {
            database in
            let status = try database.schemaStatus()
            return isDryRun ? (status.applied, status.pending) : (try database.migrate(), [])
        }
        let json = JSON.object([
            "applied": .array(applied.map(name)), "pending": .array(pending.map(name)),
        ])
        console.show(isDryRun ? report(applied, pending) : report(applied), json: json)
    }

    private static func report(_ applied: [Int32]) -> [String] {
        guard !applied.isEmpty else { return ["nothing to do: the schema is that of this version"] }
        return applied.map { "applied \(text($0))" }
    }

    private static func report(_ applied: [Int32], _ pending: [Int32]) -> [String] {
        applied.map { "applied  \(text($0))" } + pending.map { "pending  \(text($0))" }
    }

    private static func text(_ number: Int32) -> String {
        Schema.migrations.first { $0.number == number }.map { "\(number) \($0.name)" } ?? "\(number)"
    }

    private static func name(_ number: Int32) -> JSON { .string(text(number)) }
}

extension Option {
    fileprivate static let dryRun = Option(
        switch: "dry-run", "only list what was applied and what is pending")
}
