import InboxWire

extension Demo {
    /// What there is, and lines to try it with that work as printed.
    var lines: [String] {
        let phone = devices[0]
        let credentials = "-u \(phone.user):\(phone.password)"
        let inbox = "\(server)/api/user/\(phone.user)/messages/"
        // As it was called, so that the line works where `martlet` is not in PATH.
        let program = CommandLine.arguments[0]
        let send = #"{"audience":{"named_user":"ana"},"message":{"title":"Hi","body":"<p>Hi Ana</p>"}}"#
        return [
            "\(app.name): 3 people, \(devices.count) devices, \(messages) messages on \(server)", "",
            "    app key        \(app.key)", "    app secret     \(app.appSecret)",
            "    master secret  \(app.masterSecret)", "",
        ] + Text.columns(devices.map { ["    \($0.person)'s \($0.name)", "channel \($0.channel)"] }) + [
            "", "Ana's phone lists its inbox, opens the newest message and marks it read:", "",
            "    curl \(credentials) \(inbox)",
            "    curl \(credentials) \(server)/api/user/messages/message/\(newest)/body/",
            "    curl \(credentials) -d '{\"messages\":[{\"message_id\":\"\(newest)\"}]}' \(inbox)unread/",
            "",
            "A backend sends Ana a message, over HTTP or from here:", "",
            "    curl -u \(app.key):\(app.masterSecret) -H 'Content-Type: application/json' \\",
            "        -d '\(send)' \(server)/v1/messages",
            "    export MARTLET_SERVER=\(server) MARTLET_APP_KEY=\(app.key) \\",
            "        MARTLET_APP_SECRET=\(app.appSecret) MARTLET_MASTER_SECRET=\(app.masterSecret)",
            "    \(program) send --named-user ana --title Hi --body '<p>Hi Ana</p>'",
            "    \(program) message list",
        ]
    }

    /// What a script needs to go on.
    var json: JSON {
        .object([
            "name": .string(app.name), "server": .string("\(server)"), "app_key": .string(app.key),
            "app_secret": .string(app.appSecret), "master_secret": .string(app.masterSecret),
            "devices": .array(devices.map(\.json)), "messages": .int(messages),
        ])
    }
}
