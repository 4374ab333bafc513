import HTTPCore
import InboxWire

extension Command {
    /// `martlet send`.
    static let send = Command(
        "send", "Send a message to people, devices, tags or everyone",
        details: """
            At least one selector says who gets it; several are joined by or, --audience takes everything else that
            the API knows. The answer says how many were reached and which selectors named nobody. A large audience is
            delivered to in the background: --wait stays until all have it, and answers as `message show` does.
            """,
        takes: ([], SendOptions.options + [.sendDryRun, .wait, .idempotencyKey] + RemoteServer.options),
        examples: [
            "martlet send --named-user ana --title \"Hello\" --body \"<p>Hi Ana</p>\"",
            "martlet send --all --title \"News\" --body-file news.html --expiry 7d",
            "martlet send --tag vip --tag staff --title \"Sale\" --body \"<p>…</p>\" --dry-run",
            "martlet send --tag customers --title \"News\" --body-file news.html --wait",
            "echo '<p>Hi</p>' | martlet send --named-user ana --title \"Hello\" --body -",
        ]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        let send = SendOptions.read(&arguments)
        let isDryRun = arguments.isOn(.sendDryRun)
        let waits = arguments.isOn(.wait)
        let key = arguments.text(.idempotencyKey)
        if isDryRun, waits { arguments.report("--dry-run and --wait exclude each other") }
        try arguments.finish()
        guard let server, let send else { return }
        var body = try send.members()
        if isDryRun { body.append(JSONMember("dry_run", .bool(true))) }
        let headers: Headers = key.map { ["Idempotency-Key": $0] } ?? [:]
        let answer = try await server.call(.post, "/v1/messages", .object(body), headers: headers)
        let lines = report(answer, hasExpiry: send.hasExpiry)
        guard waits, let id = answer["message_id"]?.string else { return console.show(lines, json: answer) }
        if !console.isJSON { console.show(lines, json: answer) }
        let shown = try await DeliveryWatch(server: server, console: console).follow(id)
        console.show([DeliveryWatch.end(shown)], json: shown)
    }

    private static func report(_ answer: JSON, hasExpiry: Bool) -> [String] {
        let recipients = answer["recipients"]?.integer ?? 0
        let people = Text.count(recipients, "recipient")
        var lines: [String] = []
        if answer["dry_run"] == .bool(true) {
            lines.append("would reach \(people); nothing was sent")
        } else {
            let about = answer["estimate"] == nil ? "" : "about "
            lines.append("\(answer["state"]?.string ?? "sent") to \(about)\(people)")
            lines.append("message  \(answer["message_id"]?.string ?? "")")
            lines.append("push     \(answer["push_id"]?.string ?? "")")
        }
        let unknown = answer["unknown"]?.strings ?? []
        if !unknown.isEmpty { lines.append("unknown  \(unknown.map(Text.plain).joined(separator: ", "))") }
        if hasExpiry, answer["expiry_clamped"] == .bool(true) {
            lines.append(
                "expires  \(answer["expires"]?.string ?? ""), the longest life that the server allows")
        }
        return lines + (answer["warnings"]?.strings ?? []).map { "warning  \(Text.plain($0))" }
    }
}

extension Option {
    fileprivate static let wait = Option(switch: "wait", "wait until the whole audience has it")
    fileprivate static let idempotencyKey = Option(
        "idempotency-key", "KEY",
        "a name for this send: repeated with it within 24 hours it sends nothing again")
}
