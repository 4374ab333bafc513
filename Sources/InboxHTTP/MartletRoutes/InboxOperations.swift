import HTTPCore
import InboxModel
import InboxService

extension Shard {
    /// What a device's user or a session does with its inbox.
    static func inboxOperations(_ limits: Limits) -> [Operation] {
        [
            inboxFilters(Operation(.get, "/v1/inbox", "getInbox", for: .reader(inbox)))
                .does("Read the inbox", "The whole of it, or a page of `limit` messages.")
                .query("limit", .integer(1...Int64(InboxQuery.largestLimit)), "At most so many messages.")
                .query("before", .opaque, "The `next` of the page before.")
                .header("If-None-Match", .string, "ETags that the caller holds.")
                .answers(200, "The messages.", .json(.inbox), headers: [.etag])
                .answers(304, "The caller holds what this would answer.", headers: [.etag]),

            Operation(.get, "/v1/inbox/changes", "getChanges", for: .reader(changes))
                .does("Ask what happened since a cursor", "Pages may be applied again.")
                .query(
                    "since", .string, "The newest cursor that the caller has; without one all is answered."
                )
                .query("limit", .integer(1...Int64(mostChanges)), "At most so many messages; 500 if absent.")
                .answers(200, "What happened.", .json(.changes)),

            inboxFilters(
                Operation(.get, "/v1/inbox/unread-count", "getUnreadCount", for: .reader(unreadCount))
            )
            .does("Count unread messages", "As many as the inbox with the same filters lists.")
            .answers(200, "The count.", .json(.unreadCount)),

            marks("read", "markRead", .read, "Mark messages as read", limits),
            marks("unread", "markUnread", .unread, "Mark messages as unread again", limits),
            marks("delete", "deleteMessages", .delete, "Delete messages, for good", limits),

            Operation(.get, "/v1/inbox/messages/{message}", "getInboxMessage", for: .reader(inboxMessage))
                .does("Read one message of the inbox")
                .path("message", .string, "The message's id.")
                .answers(200, "The message as the inbox lists it.", .json(.listedMessage))
                .refuses(404, "The inbox does not hold it now."),

            Operation(
                .get, "/v1/inbox/messages/{message}/body", "getInboxMessageBody",
                for: .reader(inboxMessageBody)
            )
            .does("Read a message's body", "The inbox is asked each time: a recall counts at once.")
            .path("message", .string, "The message's id.")
            .header("If-None-Match", .string, "ETags that the caller holds.")
            .answers(200, "The bytes, under the message's own content type.", .bytes("*/*"), headers: [.etag])
            .answers(304, "The caller holds it.", headers: [.etag])
            .refuses(404, "The inbox does not hold it now."),
        ]
    }

    /// The parameters by which an inbox is filtered.
    static func inboxFilters(_ operation: Operation) -> Operation {
        operation
            .query("unread", .boolean, "With true only unread messages.")
            .query(
                "extra.KEY", .string,
                "Only messages whose `extra` has this value under KEY; at most \(InboxQuery.mostFilters) such filters."
            )
    }

    private static func marks(
        _ word: String, _ name: String, _ mark: Mark, _ summary: String, _ limits: Limits
    ) -> Operation {
        Operation(.post, "/v1/inbox/\(word)", name, for: .reader(marking(mark)))
            .does(summary, "Ids that the inbox does not hold change nothing.")
            .takes(.markRequest(limits))
            .answers(200, "Done, durably.", .json(.marked))
            .refuses(
                409,
                "`up_to` is of another inbox, person or database, or from before the app's settings changed.")
    }
}
