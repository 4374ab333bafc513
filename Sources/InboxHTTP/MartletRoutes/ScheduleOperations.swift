import HTTPCore
import InboxModel

extension Shard {
    /// What a backend does with messages for later.
    static func scheduleOperations(_ limits: Limits) -> [Operation] {
        let id = "The schedule's id, as it was answered."
        let gone = "No schedule of this app has the id, or its message was sent."
        return [
            Operation(.post, "/v1/schedules", "createSchedule", for: .backend(.send, createSchedule))
                .does(
                    "Send a message at a later time, or tell who would get it now",
                    "Everything is checked now; who gets it is found out when it is sent."
                )
                .header(
                    "Idempotency-Key", .string(1...IdempotencyKey.maximumBytes),
                    "Printable ASCII. A repeat under the key within 24 hours gets the first answer and keeps nothing."
                )
                .takes(.scheduleRequest(limits))
                .answers(201, "It will be sent.", .json(.schedule))
                .answers(200, "Who would get it now: `dry_run` was set.", .json(.rehearsal))
                .refuses(409, "The key came with another request before.")
                .refuses(413, "The body or a part of it has more bytes than a limit allows."),

            Operation(.get, "/v1/schedules", "listSchedules", for: .backend(.read, listMessageSchedules))
                .does("List what will be sent, newest first")
                .query(
                    "limit", .integer(1...Int64(ScheduleQuery.largestLimit)),
                    "At most so many, fewer where they are large; 100 if absent."
                )
                .query("before", .opaque, "The `next` of the page before.")
                .answers(200, "A page; `next` is null on the last one.", .json(.schedulePage)),

            Operation(
                .get, "/v1/schedules/{schedule}", "showSchedule", for: .backend(.read, showMessageSchedule)
            )
            .does("Show what will be sent")
            .path("schedule", .string, id)
            .answers(200, "The schedule.", .json(.schedule))
            .refuses(404, gone),

            Operation(
                .delete, "/v1/schedules/{schedule}", "deleteSchedule", for: .backend(.send, deleteSchedule)
            )
            .does("Do not send it")
            .path("schedule", .string, id)
            .answers(204, "It will not be sent.")
            .refuses(404, gone),
        ]
    }
}

extension Schema {
    /// A message for later.
    static func scheduleRequest(_ limits: Limits) -> Schema {
        .named(
            "ScheduleRequest",
            .request([
                .optional(
                    "scheduled_time", .nullable(.string(format: "date-time")), "When it is sent, in UTC."),
                .optional(
                    "scheduled_in", .nullable(.integer(1...3_155_760_000)),
                    "Seconds from now, instead of `scheduled_time`; one of the two must be there."),
                .optional("name", .nullable(.string(bytes: limits.scheduleNameBytes)), "For people."),
                .member("message", .scheduledMessage(limits)),
                .optional("dry_run", .nullable(.boolean), "Keep nothing and tell who would get it now."),
            ]))
    }

    private static func scheduledMessage(_ limits: Limits) -> Schema {
        .request([
            .member("audience", .audience(limits)),
            .optional("device_types", .deviceTypes, "On which devices it is shown; all if absent."),
            .member("message", .messageContent(limits)),
            .optional("options", .nullable(.request([]))),
        ])
    }

    static let schedule = Schema.named(
        "Schedule",
        .object([
            .member("schedule_id", .uuid),
            .member("name", .nullable(.string)),
            .member("scheduled_time", .time),
            .member("created", .time),
            .member("message_ids", .array(.messageID), "Ids that what is sent will have."),
            .member("push_ids", .array(.uuid)),
            .member(
                "message", .oneOf([.map(.anything), .array(.map(.anything))]),
                "As it was asked for; an array, if the server API was asked to push several."),
            .optional("warnings", .array(.string), "What was accepted, but is probably not meant."),
        ]))

    static let schedulePage = Schema.object([
        .member("schedules", .array(.schedule)),
        .member("next", .nullable(.opaque), "The `before` of the next page."),
    ])
}
