import HTTPCore
import InboxModel
import InboxService

extension Shard {
    /// What a backend sees and changes of its app as a whole.
    static func appOperations() -> [Operation] {
        [
            Operation(.get, "/v1/app", "showApp", for: .backend(.read, showApp))
                .does("Show the app with its settings")
                .answers(200, "The app.", .json(.appProfile)),

            Operation(.patch, "/v1/app", "changeApp", for: .backend(.admin, changeApp))
                .does(
                    "Change settings",
                    "What is left out stays as it is. All devices and sessions fetch their inbox anew. A lower cap "
                        + "takes effect at the next delivery to each inbox."
                )
                .takes(.settingsChange)
                .answers(200, "The app as it is now.", .json(.appProfile)),

            Operation(.get, "/v1/audit", "listAudit", for: .backend(.admin, listAudit))
                .does("List what was done to the app and its people, newest first")
                .query("limit", .integer(1...Int64(AuditPage.largestLimit)), "At most so many; 50 if absent.")
                .query("before", .opaque, "The `next` of the page before.")
                .answers(200, "A page; `next` is null on the last one.", .json(.auditPage)),
        ]
    }
}

extension Schema {
    private static func settings(_ member: (String, Schema, String?) -> SchemaMember) -> [SchemaMember] {
        [
            member("delivery_mode", words(DeliveryMode.self), "Where messages to people are kept."),
            member(
                "identity_mode", words(IdentityMode.self), "Whether a device must prove who is logged in."),
            member("filter_mode", words(FilterMode.self), "Who sees messages whose `extra` names a person."),
            member("filter_untargeted", .boolean, "The filter shows messages that name nobody, too."),
            member("inbox_cap", integer(AppSettings.inboxCaps), "Newest messages that an inbox keeps."),
            member(
                "broadcast_spread_seconds", integer(AppSettings.broadcastSpreads),
                "Over how long clients spread their refresh after a broadcast."),
            member(
                "cors_origins", .array(.string(1...Origin.maximumBytes), atMost: AppSettings.mostOrigins),
                "Pages of these origins may read answers in a browser, such as `https://shop.example`."),
        ]
    }

    static let appProfile = Schema.named(
        "App",
        .object([.member("app_key", .string), .member("name", .string)] + settings(SchemaMember.member)))

    static let settingsChange = Schema.named("SettingsChange", .request(settings(SchemaMember.optional)))

    static let auditEntry = Schema.named(
        "AuditEntry",
        .object([
            .member("id", .string),
            .member("at", .time),
            .member("actor", .string, "`master`, a token such as `token:7`, `cli` or `server`."),
            .member("action", .string, "Such as `app.change`."),
            .member("subject", .string, "The id of what it was done to; empty for the app itself."),
            .member("detail", .map(.anything)),
        ]))

    static let auditPage = Schema.object([
        .member("entries", .array(auditEntry)),
        .member("next", .nullable(.opaque), "The `before` of the next page."),
    ])

    private static func words<Mode: SettingWord>(_ mode: Mode.Type) -> Schema {
        .words(mode.allCases.map(\.word))
    }

    private static func integer(_ range: ClosedRange<Int>) -> Schema {
        .integer(Int64(range.lowerBound)...Int64(range.upperBound))
    }
}
