import Crypto
import InboxModel
import InboxService
import InboxStorage
import InboxWire

extension Command {
    /// `martlet app create`.
    static let appCreate = Command(
        "app create", "Create an app (tenant) and show its key and secrets, this once",
        details: """
            An app keeps messages to people in the person's inbox, and asks devices for a proof of who is logged
            in. The preset airship changes both to what apps with the Airship SDK expect: delivery devices,
            identity trusted.
            """,
        takes: ([.appName], [.preset, .delivery, .identity, .export] + DatabaseChoice.options),
        examples: [
            "martlet app create \"My shop\"",
            "martlet app create \"My shop\" --preset airship --data /var/lib/martlet --json",
            "eval \"$(martlet app create \"My shop\" --export)\"",
        ]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        let isAirship = arguments.value(.preset, Values.choice(["airship": true])) ?? false
        let delivery = arguments.value(.delivery, DeliveryMode.reader)
        let identity = arguments.value(.identity, IdentityMode.reader)
        let name = AppName.read(arguments.operand(.appName), &arguments)
        let exports = arguments.isOn(.export)
        try arguments.finish()
        guard let choice, let key = AppKey(text: RandomBytes.token22()) else { return }
        let app = NewApp(
            name: name, key: key, delivery: delivery ?? (isAirship ? DeliveryMode.devices : .person),
            identity: identity ?? (isAirship ? IdentityMode.trusted : .verified))
        let secrets = try Database.with(choice, console, making: true) { try create(app, in: $0) }
        guard !exports else { return console.say(exportLine(app, secrets)) }
        show(app, secrets, console)
    }

    /// `martlet app list`.
    static let appList = Command(
        "app list", "List the apps with their keys and settings",
        takes: ([], DatabaseChoice.options), examples: ["martlet app list", "martlet app list --json"]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        try arguments.finish()
        guard let choice else { return }
        let apps = try Database.with(choice, console) { database in
            try database.requireSchema()
            return try AppRegister(database.connection).apps()
        }
        let rows = apps.map { [$0.name, $0.key, $0.delivery.word, $0.identity.word, Text.time($0.created)] }
        console.show(
            apps.isEmpty
                ? ["no apps yet; `martlet app create NAME` makes one"]
                : Text.table(["NAME", "APP KEY", "DELIVERY", "IDENTITY", "CREATED"], rows),
            json: .object(["apps": .array(apps.map(\.json))]))
    }

    /// `martlet app delete`.
    static let appDelete = Command(
        "app delete", "Delete an app with all that it has; without --yes only say what that is",
        takes: ([.appName], [.yes] + DatabaseChoice.options),
        examples: ["martlet app delete \"My shop\"", "martlet app delete \"My shop\" --yes"]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        let isMeant = arguments.isOn(.yes)
        try arguments.finish()
        guard let choice else { return }
        let name = arguments.operand(.appName)
        let holdings = try Database.with(choice, console) { database in
            let register = AppRegister(database.connection)
            let app = try AppName.find(name, in: database)
            let holdings = try register.holdings(of: app.app)
            if isMeant { try register.delete(app.app) }
            return holdings
        }
        let count =
            [
                Text.count(holdings.channels, "channel"), Text.count(holdings.people, "person", "people"),
                Text.count(holdings.messages, "message"),
                Text.count(holdings.deliveries, "delivery", "deliveries"),
            ].joined(separator: ", ")
        console.show(
            isMeant
                ? ["deleted \(name): \(count)"]
                : ["would delete \(name): \(count)", "nothing was deleted; --yes does it"],
            json: .object([
                "name": .string(name), "deleted": .bool(isMeant), "channels": .int(holdings.channels),
                "people": .int(holdings.people), "messages": .int(holdings.messages),
                "deliveries": .int(holdings.deliveries),
            ]))
    }

    /// Stores an app with its first secrets and returns their texts.
    static func create(_ app: NewApp, in database: Database) throws -> (app: String, master: String) {
        try database.requireSchema()
        let key = try database.key()
        let appSecret = NewSecret.app(under: key)
        let masterSecret = NewSecret.master()
        do {
            try AppRegister(database.connection).create(
                app, secrets: [appSecret.stored, masterSecret.stored])
        } catch InboxError.conflict(let reason) {
            throw CommandFailure.refused(reason, advice: "`martlet app list` shows all of them")
        }
        return (appSecret.text, masterSecret.text)
    }

    /// For a shell: what other commands read from the environment.
    private static func exportLine(_ app: NewApp, _ secrets: (app: String, master: String)) -> String {
        "export MARTLET_APP_KEY=\(app.key.text) MARTLET_APP_SECRET=\(secrets.app) "
            + "MARTLET_MASTER_SECRET=\(secrets.master)"
    }

    private static func show(_ app: NewApp, _ secrets: (app: String, master: String), _ console: Console) {
        console.show(
            [
                "Created the app \(app.name): delivery \(app.delivery.word), identity \(app.identity.word).",
                "",
                "    app key        \(app.key.text)",
                "    app secret     \(secrets.app)  for installed apps",
                "    master secret  \(secrets.master)  for backends and operators", "",
                "The secrets are not shown again. For the commands that follow:", "",
                "    \(exportLine(app, secrets))",
            ],
            json: .object([
                "app_key": .string(app.key.text), "app_secret": .string(secrets.app),
                "master_secret": .string(secrets.master), "name": .string(app.name),
                "delivery": .string(app.delivery.word), "identity": .string(app.identity.word),
            ]))
    }
}

extension Operand {
    /// The name of an app.
    static let appName = Operand("NAME", "name of the app")
}

extension Option {
    fileprivate static let preset = Option(
        "preset", "airship", "settings for apps that carry the Airship SDK")
    fileprivate static let delivery = Option(
        "delivery", "person|devices", "where messages to people are kept", fallback: "person")
    fileprivate static let identity = Option(
        "identity", "verified|trusted", "whether a device proves who is logged in", fallback: "verified")
    fileprivate static let export = Option(
        switch: "export", "print only a line for the shell that sets MARTLET_APP_KEY and the secrets")
    fileprivate static let yes = Option(switch: "yes", "really delete")
}

/// Reading and finding apps by name.
enum AppName {
    /// A name that can be typed again: reports a problem otherwise.
    static func read(_ text: String, _ arguments: inout Arguments) -> String {
        guard !text.isEmpty else { return text }  // was reported
        let name = text.trimming(\.isWhitespace)
        let isPlain = !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if name.isEmpty || name.unicodeScalars.count > maximumScalars || !isPlain {
            arguments.report(
                "NAME must have 1 to \(maximumScalars) characters, none of them a control character")
        }
        return name
    }

    /// - Throws: `CommandFailure.refused` if there is no such app.
    static func find(_ name: String, in database: Database) throws -> AppRecord {
        try database.requireSchema()
        let register = AppRegister(database.connection)
        do {
            return try register.app(named: name)
        } catch InboxError.notFound {
            let question = Spelling.question(name, among: try register.apps().map(\.name))
            throw CommandFailure.refused(
                "there is no app named \(name)\(question)", advice: "`martlet app list` shows all of them")
        }
    }

    private static let maximumScalars = 128
}

extension AppRecord {
    fileprivate var json: JSON {
        .object([
            "name": .string(name), "app_key": .string(key), "delivery": .string(delivery.word),
            "identity": .string(identity.word), "created": .string(Text.time(created)),
        ])
    }
}

extension DeliveryMode {
    static let reader = Values.choice(["person": DeliveryMode.person, "devices": .devices])
}

extension IdentityMode {
    static let reader = Values.choice(["verified": IdentityMode.verified, "trusted": .trusted])
}
