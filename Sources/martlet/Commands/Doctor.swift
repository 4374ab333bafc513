import InboxStorage
import InboxWire
import Postgres

extension Command {
    /// `martlet doctor`.
    static let doctor = Command(
        "doctor", "Report the health of an installation, with advice",
        details: """
            Looks at versions, schema, rights, key, durability, connections and limits; changes nothing. Give it
            what `martlet serve` is given. The exit code is 1 if the server could not work as it is.

            With --new-epoch it changes one thing: every cursor and validator that clients hold becomes worthless,
            so that they fetch whole inboxes. Run it once after a restore of the data alone (a dump loaded into
            tables that went on existing); other restores are recognised without it.
            """,
        takes: ([], ServeConfiguration.options + [newEpoch]),
        examples: [
            "martlet doctor", "martlet doctor --database postgresql://martlet@db/martlet --json",
            "martlet doctor --new-epoch",
        ]
    ) { arguments, console in
        let beginsEpoch = arguments.isOn(newEpoch)
        let configuration = try ServeConfiguration(&arguments, requiringKey: false)
        let findings = try Database.with(configuration.database, console, migrating: false) { database in
            if beginsEpoch {
                try database.requireSchema()
                let ended = try Installation(database.connection).beginEpoch()
                console.note(
                    "a new epoch has begun; \(Text.count(Int(ended), "connection")) of servers begin anew")
            }
            return try Examination(database: database, configuration: configuration).findings()
        }
        let isWell = !findings.contains { $0.state == .bad }
        let limits = ServerLimits.settings.map { ($0.name, $0.show(configuration.limits)) }
        console.show(
            findings.flatMap(\.lines) + ["", "limits"] + Text.columns(limits.map { ["    \($0.0)", $0.1] }),
            json: .object([
                "ok": .bool(isWell), "findings": .array(findings.map(\.json)),
                "limits": .object(limits.map { JSONMember($0.0, .number(JSONNumber(text: $0.1))) }),
            ]))
        guard isWell else {
            throw CommandFailure.refused("not all is well: see the lines that begin with BAD")
        }
    }
}

private let newEpoch = Option(
    switch: "new-epoch", "make every cursor and validator worthless, after a restore of the data alone")

/// One thing that was looked at.
struct Finding: Sendable {
    enum State: String {
        case good = "ok"
        case doubtful = "look"
        case bad = "BAD"
    }

    let name: String
    let state: State
    let detail: String
    /// What to do about it.
    let advice: [String]

    init(_ name: String, _ state: State, _ detail: String, advice: [String] = []) {
        self.name = name
        self.state = state
        self.detail = detail
        self.advice = advice
    }

    fileprivate var lines: [String] {
        let state = state.rawValue.padded(to: 6)
        return [state + name.padded(to: 14) + detail] + advice.map { String(repeating: " ", count: 20) + $0 }
    }

    fileprivate var json: JSON {
        .object([
            "name": .string(name), "state": .string(state.rawValue.lowercased()), "detail": .string(detail),
            "advice": .array(advice.map { .string($0) }),
        ])
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
