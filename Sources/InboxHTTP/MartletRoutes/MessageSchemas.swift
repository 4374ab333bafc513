import InboxModel

extension Schema {
    /// A message to send.
    static func messageRequest(_ limits: Limits) -> Schema {
        .named(
            "MessageRequest",
            .request([
                .member("audience", .audience(limits)),
                .optional("device_types", .deviceTypes, "On which devices it is shown; all if absent."),
                .member("message", .messageContent(limits)),
                .optional("options", .nullable(.request([]))),
                .optional("dry_run", .nullable(.boolean), "Send nothing and tell who would get it."),
            ]))
    }

    /// What a message says; shared by all that send.
    static func messageContent(_ limits: Limits) -> Schema {
        .named(
            "MessageContent",
            .request([
                .member("title", .string(bytes: limits.titleBytes)),
                .member(
                    "body", .string, "At most \(limits.messageBodyBytes) bytes, counted after decoding."),
                .optional(
                    "content_type", .nullable(.string(0...limits.contentTypeBytes)), "`text/html` if absent."),
                .optional(
                    "content_encoding", .nullable(.words(["utf-8", "base64"])), "How the body is written."),
                .optional(
                    "extra", .nullable(.map(of: .extraValue, atMost: limits.extraKeys)),
                    "At most \(limits.extraBytes) bytes. The person that `named_user_id` names is a filter."),
                .optional(
                    "expiry", .nullable(.oneOf([.string(format: "date-time"), .count])),
                    "A time in UTC, or seconds from now; 0 is never. A longer life than allowed is cut."),
                .optional(
                    "icons",
                    .nullable(
                        .object([.optional("list_icon", .nullable(.string(0...limits.iconBytes)))]))),
            ]))
    }

    /// Texts are kept, other values become texts, null is left out.
    private static let extraValue = Schema.oneOf([.string, .number, .boolean, .null])

    /// What can be asked for; `open` devices are named otherwise, and nothing is sent to them alone.
    private static let deviceTypeWords = ["all", "ios", "android", "amazon", "web"]

    static let deviceTypes = Schema.nullable(
        .oneOf([
            .words(deviceTypeWords), .array(of: .words(deviceTypeWords), atLeast: 1, atMost: nil),
        ]))

    /// Who gets it.
    static func audience(_ limits: Limits) -> Schema {
        .named("Audience", .oneOf([.words(["all"]), .selector(limits)]))
    }

    private static func selector(_ limits: Limits) -> Schema {
        func leaf(_ name: String, _ value: Schema) -> Schema {
            .request([
                .member(
                    name, .oneOf([value, .array(of: value, atLeast: 1, atMost: limits.selectorsPerPush)]))
            ])
        }
        let tag = Schema.string(1...limits.tagScalars)
        let several = Schema.array(of: .reference("Selector"), atLeast: 1, atMost: nil)
        return .named(
            "Selector",
            .oneOf([
                leaf("named_user", .namedUserID), leaf("channel", .uuid), leaf("ios_channel", .uuid),
                leaf("android_channel", .uuid), leaf("amazon_channel", .uuid), leaf("web_channel", .uuid),
                .request([
                    .member(
                        "tag", .oneOf([tag, .array(of: tag, atLeast: 1, atMost: limits.selectorsPerPush)])),
                    .optional("group", tag),
                ]),
                .request([.member("and", several)]), .request([.member("or", several)]),
                .request([.member("not", .reference("Selector"))]),
            ]))
    }

    private static let reach: [SchemaMember] = [
        .member("recipients", .count, "Inboxes that it reached; channels, if it was for everyone."),
        .member("unknown", .array(.string), "Selectors that name nobody, as `kind:id`."),
    ]

    private static let warnings = SchemaMember.optional(
        "warnings", .array(.string), "What was accepted, but is probably not meant.")

    static let sentMessage = Schema.named(
        "SentMessage",
        .object(
            [.member("message_id", .messageID), .member("push_id", .uuid)] + reach + [
                .member("state", .words(["sent", "delivering"])),
                .optional(
                    "estimate", .count,
                    "While it is delivering: inboxes that matched when it was sent; then also `recipients`."),
                .member("sent", .time),
                .member("expires", .time),
                .member("expiry_clamped", .boolean, "The life that was asked for was longer than allowed."),
                warnings,
            ]))

    static let rehearsal = Schema.named(
        "Rehearsal", .object([.member("dry_run", .boolean)] + reach + [warnings]))

    private static let messageRecord: [SchemaMember] = [
        .member("message_id", .messageID),
        .member("push_id", .uuid),
        .member("state", .words(["sent", "delivering", "expired", "recalled"])),
        .member("title", .string),
        .member("content_type", .string),
        .member("body_bytes", .count),
        .member("extra", .map(.string)),
        .member("icon", .nullable(.string)),
        .member("device_types", .array(.words(deviceTypeWords))),
        .member("broadcast", .boolean, "It was for everyone."),
        .member("sent", .time),
        .member("expires", .time),
        .member("recalled", .nullable(.time)),
    ]

    static let messagePage = Schema.object([
        .member("messages", .array(.named("MessageRecord", .object(messageRecord)))),
        .member("next", .nullable(.opaque), "The `before` of the next page."),
    ])

    static let messageReport = Schema.named(
        "MessageReport",
        .object(
            messageRecord + [
                .optional(
                    "progress", .object([.member("delivered", .count), .member("estimate", .count)]),
                    "While it is delivering."),
                .member("recipients", .count, "While it is delivering, those that have it."),
                .member("read", .count),
                .member("deleted", .count, "By readers; a recall does not count."),
                .member("fetched", .count, "Inboxes whose reader was given the body; up to a second late."),
            ]))
}
