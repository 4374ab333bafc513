import InboxModel
import InboxService
import InboxStorage
import InboxWire

extension Command {
    /// `martlet app show`.
    static let appShow = Command(
        "app show", "Show an app with its settings",
        takes: ([.appName], DatabaseChoice.options), examples: ["martlet app show \"My shop\""]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        try arguments.finish()
        guard let choice else { return }
        let name = arguments.operand(.appName)
        let profile = try Database.with(choice, console) { database in
            try AppRegister(database.connection).profile(of: try AppName.find(name, in: database).app)
        }
        console.show(profile.lines, json: profile.json)
    }

    /// `martlet app set`.
    static let appSet = Command(
        "app set", "Change settings of an app; what is not named stays as it is",
        details: """
            Running servers know at once; devices and sessions fetch their inbox anew. A lower cap takes effect
            at the next delivery to each inbox.
            """,
        takes: ([.appName], Option.settings + DatabaseChoice.options),
        examples: [
            "martlet app set \"My shop\" --cap 500 --filter server",
            "martlet app set \"My shop\" --cors-origin https://shop.example --cors-origin https://m.shop.example",
        ]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        let change = SettingsChange(&arguments)
        if change == SettingsChange() {
            arguments.report("name a setting to change; `martlet app show` lists them")
        }
        try arguments.finish()
        guard let choice else { return }
        let name = arguments.operand(.appName)
        let profile = try Database.with(choice, console) { database in
            let app = try AppName.find(name, in: database).app
            return try AppRegister(database.connection).change(change, of: app)
        }
        console.show(profile.lines, json: profile.json)
    }
}

extension SettingsChange {
    /// Reads the options, and reports what is wrong with them.
    fileprivate init(_ arguments: inout Arguments) {
        self.init()
        deliveryMode = arguments.value(.delivery, DeliveryMode.reader)
        identityMode = arguments.value(.identity, IdentityMode.reader)
        filterMode = arguments.value(
            .filter, Values.choice(["off": FilterMode.off, "client": .client, "server": .server]))
        filterUntargeted = arguments.value(.filterUntargeted, Values.choice(["yes": true, "no": false]))
        inboxCap = arguments.value(.cap, Values.wholeNumber(AppSettings.inboxCaps))
        broadcastSpreadSeconds = arguments.value(.spread, Values.wholeNumber(AppSettings.broadcastSpreads))
        let origins = arguments.texts(.corsOrigin)
        if arguments.isOn(.noCORSOrigins) {
            corsOrigins = []
            if !origins.isEmpty { arguments.report("--no-cors-origins and --cors-origin exclude each other") }
        } else if !origins.isEmpty {
            corsOrigins = SettingsChange.read(origins, &arguments)
        }
    }

    private static func read(_ texts: [String], _ arguments: inout Arguments) -> [Origin] {
        var origins: [Origin] = []
        for text in texts {
            do throws(InboxError) {
                let origin = try Origin(text, field: Option.corsOrigin.flag)
                if !origins.contains(origin) { origins.append(origin) }
            } catch {
                guard case .invalid(let field, let reason, _) = error else { continue }
                arguments.report("\(field) \(text): \(reason)")
            }
        }
        if origins.count > AppSettings.mostOrigins {
            arguments.report("there can be at most \(AppSettings.mostOrigins) origins")
        }
        return origins
    }
}

extension Option {
    fileprivate static let settings = [
        delivery, identity, filter, filterUntargeted, cap, spread, corsOrigin, noCORSOrigins,
    ]

    fileprivate static let delivery = Option(
        "delivery", "person|devices", "where messages to people are kept")
    fileprivate static let identity = Option(
        "identity", "verified|trusted", "whether a device proves who is logged in")
    fileprivate static let filter = Option(
        "filter", "off|client|server",
        "who sees messages whose extra names a person: server lets only that one")
    fileprivate static let filterUntargeted = Option(
        "filter-untargeted", "yes|no", "whether the filter shows messages that name nobody, too")
    fileprivate static let cap = Option("cap", "N", "newest messages that an inbox keeps; 1 to 10000")
    fileprivate static let spread = Option(
        "broadcast-spread", "SECONDS",
        "over how long clients spread their refresh after a broadcast; 0 to 3600")
    fileprivate static let corsOrigin = Option(
        "cors-origin", "ORIGIN",
        "pages of this origin may read answers in a browser; these become all there are",
        also: [.repeated])
    fileprivate static let noCORSOrigins = Option(
        switch: "no-cors-origins", "no page of another origin may any more")
}

extension AppProfile {
    fileprivate var lines: [String] {
        let origins = settings.corsOrigins.map(\.text)
        return Text.table(
            ["SETTING", "VALUE"],
            [
                ["app key", key.text],
                ["delivery", settings.deliveryMode.word],
                ["identity", settings.identityMode.word],
                ["filter", settings.filterMode.word],
                ["filter-untargeted", settings.filterUntargeted ? "yes" : "no"],
                ["cap", "\(settings.inboxCap)"],
                ["broadcast-spread", "\(settings.broadcastSpreadSeconds) s"],
                ["cors-origins", origins.isEmpty ? "none" : origins.joined(separator: ", ")],
            ])
    }

    fileprivate var json: JSON {
        .object([
            "name": .string(name), "app_key": .string(key.text),
            "delivery": .string(settings.deliveryMode.word), "identity": .string(settings.identityMode.word),
            "filter": .string(settings.filterMode.word),
            "filter_untargeted": .bool(settings.filterUntargeted),
            "cap": .int(Int64(settings.inboxCap)),
            "broadcast_spread_seconds": .int(Int64(settings.broadcastSpreadSeconds)),
            "cors_origins": .array(settings.corsOrigins.map { .string($0.text) }),
        ])
    }
}
