import HTTPCore
import InboxModel
import InboxService

extension Shard {
    /// What a backend sees of people, and forgets.
    static func personOperations(_ limits: Limits) -> [Operation] {
        [
            person(
                Operation(
                    .get, "/v1/named-users/{named_user}", "showNamedUser", for: .backend(.read, showPerson))
            )
            .does("Show a person with tags, devices and counts")
            .answers(200, "The person.", .json(.namedUser)),

            inboxFilters(
                person(
                    Operation(
                        .get, "/v1/named-users/{named_user}/inbox", "getNamedUserInbox",
                        for: .backend(.read, personInbox)))
            )
            .does("Read a person's inbox as a session would see it")
            .query("limit", .integer(1...Int64(InboxQuery.largestLimit)), "At most so many messages.")
            .query("before", .opaque, "The `next` of the page before.")
            .answers(200, "The messages.", .json(.inbox)),

            person(
                Operation(
                    .post, "/v1/named-users/{named_user}/export", "exportNamedUser",
                    for: .backend(.admin, exportPerson))
            )
            .does(
                "Export everything that is kept about a person",
                "Bodies are left out beyond \(limits.exportBytes) bytes, and lists end after \(limits.exportRows) "
                    + "elements; `complete` says whether that was so."
            )
            .answers(200, "All of it.", .json(.dossier)),

            person(
                Operation(
                    .delete, "/v1/named-users/{named_user}", "eraseNamedUser",
                    for: .backend(.admin, erasePerson))
            )
            .does(
                "Forget a person",
                "With inbox, tags, sessions and their events, and messages that nobody else holds; devices are "
                    + "logged out. The audit keeps that it was done."
            )
            .query(
                "dry_run", .boolean, "With true nothing is done, and the answer says how much it would be."
            )
            .answers(204, "The person is unknown from now on.")
            .answers(200, "What would be done: `dry_run` was true.", .json(.erasureRehearsal)),
        ]
    }

    private static func person(_ operation: Operation) -> Operation {
        operation
            .path("named_user", .string, "The person's id.")
            .refuses(404, "The app knows no such person.")
    }
}

extension Schema {
    private static let tags = SchemaMember.member("tags", .map(.array(.string)), "By group.")

    private static let channel = Schema.named(
        "Channel",
        .object([
            .member("channel_id", .uuid),
            .member("device_type", .words(DeviceType.allCases.map(\.text))),
            .member("installed", .boolean),
            .member("opt_in", .boolean),
            .member("background", .boolean),
            .member("push_address", .nullable(.string)),
            .member("created", .time),
            .member("last_registration", .time),
            tags,
        ]))

    private static let person: [SchemaMember] = [
        .member("named_user_id", .namedUserID),
        .member("created", .time),
        .member("modified", .time),
        tags,
        .member("channels", .array(channel), "Devices on which the person is logged in."),
    ]

    static let namedUser = Schema.named(
        "NamedUser",
        .object(
            person + [
                .member("message_count", .count, "Messages in the inbox as a session would see it."),
                .member("unread_count", .count, "The unread ones among them."),
            ]))

    static let erasureRehearsal = Schema.object([
        .member("dry_run", .boolean),
        .member("channels", .count, "Devices that would be logged out."),
        .member("tags", .count),
        .member("messages", .count, "In the person's inbox, deleted ones among them."),
        .member("messages_of_nobody_else", .count, "Those whose content would go, too."),
        .member("sessions", .count),
        .member("events", .count),
    ])

    static let dossier = Schema.named(
        "NamedUserExport",
        .object(
            [
                .member("complete", .boolean, "Nothing was left out."),
                .member("exported", .time),
            ] + person + [
                .member("messages", .array(heldMessage), "In the person's inbox, newest first."),
                .member(
                    "broadcast_marks", .array(.object(mark)), "What the person did with messages to everyone."
                ),
                .member(
                    "sessions",
                    .array(
                        .object([
                            .member("user_id", .userID), .member("created", .time), .member("expires", .time),
                        ]))),
                .member("events", .array(heldEvent), "Told by sessions."),
                .member("audit", .array(.auditEntry), "What was done to the person."),
            ]))

    private static let mark: [SchemaMember] = [
        .member("message_id", .messageID),
        .member("state", .words(["unread", "read", "deleted"])),
        .member("marked", .nullable(.time)),
    ]

    private static let heldMessage = Schema.object(
        mark + [
            .member("title", .string),
            .member("content_type", .string),
            .member("body_bytes", .count),
            .member("extra", .map(.string)),
            .member("icon", .nullable(.string)),
            .member("sent", .time),
            .member("expires", .time),
            .member("body", .nullable(.string), "In base64; null where it was left out."),
        ])

    private static let heldEvent = Schema.object([
        .member("id", .string),
        .member("type", .string),
        .member("message_id", .nullable(.messageID)),
        .member("at", .nullable(.time)),
        .member("data", .map(.string)),
        .member("received", .time),
    ])
}
