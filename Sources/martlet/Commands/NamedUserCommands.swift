import Foundation
import HTTPCore
import InboxWire

extension Command {
    /// `martlet named-user show`.
    static let namedUserShow = Command(
        "named-user show", "Show a person with tags, devices and counts",
        takes: ([.namedUser], RemoteServer.options), examples: ["martlet named-user show ana@example.com"]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        try arguments.finish()
        guard let server else { return }
        let person = try await server.call(.get, path(of: arguments.operand(.namedUser)))
        let tags = (person["tags"]?.members ?? []).map { group in
            ["tags \(group.name)", (group.value.strings ?? []).joined(separator: ", ")]
        }
        let channels = (person["channels"]?.elements ?? []).map { channel in
            ["\(channel["device_type"]?.string ?? "") channel", channel["channel_id"]?.string ?? ""]
        }
        let head = ["named_user_id", "created", "modified"].map { [$0, person[$0]?.string ?? ""] }
        let counts = ["message_count", "unread_count"].map { [$0, "\(person[$0]?.integer ?? 0)"] }
        console.show(Text.columns(head + tags + channels + counts), json: person)
    }

    /// `martlet named-user export`.
    static let namedUserExport = Command(
        "named-user export", "Write everything that is kept about a person as one JSON document",
        takes: ([.namedUser], [.output] + RemoteServer.options),
        examples: [
            "martlet named-user export ana@example.com > ana.json",
            "martlet named-user export ana@example.com --output ana.json",
        ]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        let file = arguments.text(.output)
        try arguments.finish()
        guard let server else { return }
        let document = try await server.bytes(.post, path(of: arguments.operand(.namedUser)) + "/export")
        if document.starts(with: #"{"complete":false"#.utf8) {
            console.note(
                "martlet: warning: more is kept than one export holds; raise --limit-export-bytes and "
                    + "--limit-export-rows of the server")
        }
        guard let file else { return console.say(String(decoding: document, as: UTF8.self)) }
        try write(document, to: file)
        console.note("wrote \(file), which only you can read")
    }

    /// `martlet named-user erase`.
    static let namedUserErase = Command(
        "named-user erase", "Forget a person: inbox, tags, sessions and their events; log the devices out",
        details: """
            Messages that nobody else holds go too. The audit keeps that it was done, and backups of the database
            keep what they hold. Without --yes the id is to be typed again, on standard input.
            """,
        takes: ([.namedUser], [.dryRun, .yes] + RemoteServer.options),
        examples: [
            "martlet named-user erase ana@example.com --dry-run",
            "martlet named-user erase ana@example.com --yes",
        ]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        let isRehearsal = arguments.isOn(.dryRun)
        let isMeant = arguments.isOn(.yes)
        if isRehearsal, isMeant { arguments.report("--dry-run and --yes exclude each other") }
        try arguments.finish()
        guard let server else { return }
        let id = arguments.operand(.namedUser)
        if isRehearsal || !isMeant {
            let holdings = try await server.call(.delete, path(of: id) + "?dry_run=true")
            if isRehearsal {
                return console.show(["would erase \(id): \(summary(holdings))"], json: holdings)
            }
            console.note("erases \(id): \(summary(holdings))")
            try confirm(id, console)
        }
        _ = try await server.call(.delete, path(of: id))
        console.show(
            ["erased \(id)"], json: .object(["named_user_id": .string(id), "erased": .bool(true)]))
    }

    private static func path(of person: String) -> String { "/v1/named-users/\(Target.escaped(person))" }

    private static func summary(_ holdings: JSON) -> String {
        func count(_ name: String, _ one: String, _ many: String? = nil) -> String {
            Text.count(holdings[name]?.integer ?? 0, one, many)
        }
        return [
            count("messages", "message"), "\(count("messages_of_nobody_else", "message")) of nobody else",
            count("tags", "tag"), count("sessions", "session"), count("events", "event"),
            "\(count("channels", "device")) to log out",
        ].joined(separator: ", ")
    }

    private static func confirm(_ id: String, _ console: Console) throws(CommandFailure) {
        console.note("type the person's id again to erase it:")
        guard readLine() == id else {
            throw .refused("nothing was erased: that is not \(id)", advice: "--yes erases without asking")
        }
    }

    private static func write(_ document: [UInt8], to file: String) throws(CommandFailure) {
        let isFree = !FileManager.default.fileExists(atPath: file)
        guard isFree,
            FileManager.default.createFile(
                atPath: file, contents: Data(document), attributes: [.posixPermissions: 0o600])
        else {
            throw .refused(
                "\(file) \(isFree ? "cannot be written" : "exists already")",
                advice: "choose another --output")
        }
    }
}

extension Operand {
    fileprivate static let namedUser = Operand(
        "NAMED_USER", "id of the person, as the app's backend names them")
}

extension Option {
    fileprivate static let output = Option("output", "FILE", "write to a new file instead of standard output")
    fileprivate static let dryRun = Option(switch: "dry-run", "only say how much would go")
    fileprivate static let yes = Option(switch: "yes", "do not ask")
}
