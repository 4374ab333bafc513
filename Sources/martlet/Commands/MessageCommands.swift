import HTTPCore
import InboxWire

extension Command {
    /// `martlet message list`.
    static let messageList = Command(
        "message list", "List the messages that were sent, newest first",
        takes: ([], PageOptions.options + RemoteServer.options),
        examples: ["martlet message list", "martlet message list --limit 10 --json"]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        let page = PageOptions(&arguments)
        try arguments.finish()
        guard let server else { return }
        let answer = try await server.call(.get, "/v1/messages?\(page.query)")
        let messages = answer["messages"]?.elements ?? []
        let rows = messages.map { message in
            ["sent", "message_id", "state", "title"].map { message[$0]?.string ?? "" }
        }
        let next = answer["next"]?.string.map { ["", "more with --before \($0)"] } ?? []
        console.show(
            rows.isEmpty
                ? ["no messages"] : Text.table(["SENT", "MESSAGE", "STATE", "TITLE"], rows) + next,
            json: answer)
    }

    /// `martlet message show`.
    static let messageShow = Command(
        "message show", "Show a message with how many got, read and deleted it",
        takes: ([.message], RemoteServer.options),
        examples: ["martlet message show kQ4c1w0tT3mWb2yKx8Jd9A"]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        try arguments.finish()
        guard let server else { return }
        let answer = try await server.call(
            .get, "/v1/messages/\(Target.escaped(arguments.operand(.message)))")
        let rows = (answer.members ?? []).map { [$0.name, Text.value($0.value)] }
        console.show(Text.columns(rows), json: answer)
    }

    /// `martlet message wait`.
    static let messageWait = Command(
        "message wait",
        "Wait until the whole audience of a message has it, and show how far it has come; fails if it was recalled",
        takes: ([.message], RemoteServer.options),
        examples: ["martlet message wait kQ4c1w0tT3mWb2yKx8Jd9A"]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        try arguments.finish()
        guard let server else { return }
        let shown = try await DeliveryWatch(server: server, console: console).follow(
            arguments.operand(.message))
        console.show([DeliveryWatch.end(shown)], json: shown)
        if DeliveryWatch.isRecalled(shown) { throw CommandFailure.refused("the message was recalled") }
    }

    /// `martlet message recall`.
    static let messageRecall = Command(
        "message recall", "Take a message back from everyone",
        takes: ([.message], RemoteServer.options),
        examples: ["martlet message recall kQ4c1w0tT3mWb2yKx8Jd9A"]
    ) { arguments, console in
        let server = RemoteServer(&arguments)
        try arguments.finish()
        guard let server else { return }
        let id = arguments.operand(.message)
        _ = try await server.call(.delete, "/v1/messages/\(Target.escaped(id))")
        console.show(
            ["recalled \(id)"], json: .object(["message_id": .string(id), "recalled": .bool(true)]))
    }
}

extension Operand {
    fileprivate static let message = Operand("MESSAGE", "message id or push id, as `send` prints them")
}
