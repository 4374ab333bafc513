import HTTPCore
import InboxWire

extension Command {
    /// `martlet schedule create`.
    static let scheduleCreate = Command(
        "schedule create", "Send a message at a later time",
        details: """
            Takes what `martlet send` takes, and a time. The message is checked now; who gets it is found out when it
            is sent. Until then `martlet schedule delete` takes it back.
            """,
        takes: ([], [.at, .in, .scheduleName] + SendOptions.options + [.sendDryRun] + RemoteServer.options),
        examples: [
            "martlet schedule create --at 2031-05-06T07:08:09Z --all --title \"News\" --body-file news.html",
            "martlet schedule create --in 2h --named-user ana --title \"Hello\" --body \"<p>Hi Ana</p>\"",
            "martlet schedule create --in 7d --name Sale --tag vip --title \"Sale\" --body \"<p>…</p>\" --dry-run",
        ]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        let time = scheduledTime(&arguments)
        let name = arguments.text(.scheduleName)
        let send = SendOptions.read(&arguments)
        let isDryRun = arguments.isOn(.sendDryRun)
        try arguments.finish()
        guard let server, let time, let send else { return }
        var body = [time, JSONMember("message", .object(try send.members()))]
        if let name { body.append(JSONMember("name", .string(name))) }
        if isDryRun { body.append(JSONMember("dry_run", .bool(true))) }
        let answer = try await server.call(.post, "/v1/schedules", .object(body))
        console.show(made(answer), json: answer)
    }

    /// `martlet schedule list`.
    static let scheduleList = Command(
        "schedule list", "List the messages that will be sent, newest first",
        takes: ([], PageOptions.options + RemoteServer.options),
        examples: ["martlet schedule list", "martlet schedule list --limit 10 --json"]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        let page = PageOptions(&arguments)
        try arguments.finish()
        guard let server else { return }
        let answer = try await server.call(.get, "/v1/schedules?\(page.query)")
        let rows = (answer["schedules"]?.elements ?? []).map { schedule in
            [
                schedule["scheduled_time"], schedule["schedule_id"], schedule["name"],
                schedule["message"]?["message"]?["title"],
            ].map { $0?.string ?? "" }
        }
        let next = answer["next"]?.string.map { ["", "more with --before \($0)"] } ?? []
        console.show(
            rows.isEmpty ? ["no schedules"] : Text.table(["TIME", "SCHEDULE", "NAME", "TITLE"], rows) + next,
            json: answer)
    }

    /// `martlet schedule show`.
    static let scheduleShow = Command(
        "schedule show", "Show a message that will be sent",
        takes: ([.schedule], RemoteServer.options),
        examples: ["martlet schedule show 0f6f5a3e-6d0a-4c53-9a5e-3f1f4f0c2b7d"]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        try arguments.finish()
        guard let server else { return }
        let id = arguments.operand(.schedule)
        let answer = try await server.call(.get, "/v1/schedules/\(Target.escaped(id))")
        console.show(
            Text.columns((answer.members ?? []).map { [$0.name, Text.value($0.value)] }), json: answer)
    }

    /// `martlet schedule delete`.
    static let scheduleDelete = Command(
        "schedule delete", "Take a message back before it is sent",
        takes: ([.schedule], RemoteServer.options),
        examples: ["martlet schedule delete 0f6f5a3e-6d0a-4c53-9a5e-3f1f4f0c2b7d"]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        try arguments.finish()
        guard let server else { return }
        let id = arguments.operand(.schedule)
        _ = try await server.call(.delete, "/v1/schedules/\(Target.escaped(id))")
        console.show(
            ["deleted \(id): it will not be sent"],
            json: .object(["schedule_id": .string(id), "deleted": .bool(true)]))
    }

    /// The member of the request that says when; nothing after a problem.
    private static func scheduledTime(_ arguments: inout Arguments) -> JSONMember? {
        let time = arguments.value(.at) { text throws(Unreadable) in
            guard let time = CalendarTime(text: text) else {
                throw Unreadable("must be a time in UTC, such as 2031-05-06T07:08:09Z")
            }
            return time.instant.millisecondsText
        }
        let delay = arguments.value(.in) { text throws(Unreadable) in
            let seconds = try Values.duration(text).components.seconds
            guard seconds > 0 else { throw Unreadable("must be 1s or more; `martlet send` sends at once") }
            return seconds
        }
        switch (arguments.text(.at), arguments.text(.in)) {
        case (nil, nil): arguments.report("--at or --in is missing: when it is sent")
        case (.some, .some): arguments.report("--at and --in exclude each other")
        case (.some, nil): return time.map { JSONMember("scheduled_time", .string($0)) }
        case (nil, .some): return delay.map { JSONMember("scheduled_in", .int($0)) }
        }
        return nil
    }

    private static func made(_ answer: JSON) -> [String] {
        guard answer["dry_run"] != .bool(true) else {
            let people = Text.count(answer["recipients"]?.integer ?? 0, "recipient")
            let unknown = (answer["unknown"]?.strings ?? []).map(Text.plain).joined(separator: ", ")
            return ["would reach \(people) now; nothing was scheduled"]
                + (unknown.isEmpty ? [] : ["unknown  \(unknown)"]) + warnings(answer)
        }
        return [
            "scheduled for \(answer["scheduled_time"]?.string ?? "")",
            "schedule  \(answer["schedule_id"]?.string ?? "")",
            "message   \(answer["message_ids"]?.strings?.first ?? "")",
        ] + warnings(answer)
    }

    private static func warnings(_ answer: JSON) -> [String] {
        (answer["warnings"]?.strings ?? []).map { "warning   \(Text.plain($0))" }
    }
}

extension Operand {
    fileprivate static let schedule = Operand("SCHEDULE", "schedule id, as `schedule create` prints it")
}

extension Option {
    fileprivate static let at = Option("at", "TIME", "when to send, in UTC, such as 2031-05-06T07:08:09Z")
    fileprivate static let `in` = Option("in", "DURATION", "how long from now: 30s, 15m, 2h or 7d")
    fileprivate static let scheduleName = Option("name", "TEXT", "what the list of schedules shows")
}
