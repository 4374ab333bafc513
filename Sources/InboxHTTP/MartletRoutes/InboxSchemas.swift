import InboxModel

extension Schema {
    /// A message as every list of `/v1` shows it.
    static let listedMessage = Schema.named(
        "ListedMessage",
        .object([
            .member("message_id", .messageID),
            .member("title", .string),
            .member("content_type", .string),
            .member("body_bytes", .count),
            .member("extra", .map(.string)),
            .member("icon", .nullable(.string)),
            .member("sent", .time),
            .member("expires", .time),
            .member(
                "inbox", .words(["device", "person", "app"]),
                "Whose inbox holds it; `app`: it was sent to everyone."),
            .member("unread", .boolean),
        ]))

    private static let cursor = SchemaMember.member(
        "cursor", .opaque, "How far this answer knows the inbox; for `changes` and `up_to`.")

    static let inbox = Schema.named(
        "Inbox",
        .object([
            .member("messages", .array(.listedMessage), "Newest first."),
            .member("unread_count", .count, "Unread messages that match the filters, on this page or not."),
            cursor,
            .member("next", .nullable(.opaque), "The `before` of the next page; null on the last one."),
        ]))

    static let changes = Schema.named(
        "Changes",
        .object([
            .member(
                "changed", .array(.listedMessage), "How new and changed messages look now, newest first."),
            .member(
                "removed", .array(.messageID), "Messages that are not in the inbox; drop those you have."),
            .member("unread_count", .count, "Of the whole inbox."),
            cursor,
            .member("more", .boolean, "Ask again at once with the new cursor."),
            .member("reset", .boolean, "`changed` is the whole inbox: drop everything else."),
        ]))

    static let unreadCount = Schema.object([.member("unread_count", .count)])

    static func markRequest(_ limits: Limits) -> Schema {
        .named(
            "MarkRequest",
            .oneOf([
                .request([.member("ids", .array(of: .string, atLeast: nil, atMost: limits.idsPerBatch))]),
                .request([
                    .member("all", .always(true)),
                    .member("up_to", .opaque, "What came after this cursor is left alone."),
                ]),
            ]))
    }

    static let marked = Schema.object([.member("unread_count", .count, "Of the whole inbox."), cursor])
}
