import HTTPCore
import InboxModel

extension Shard {
    /// What a backend does with messages.
    static func messageOperations(_ limits: Limits) -> [Operation] {
        [
            Operation(.post, "/v1/messages", "sendMessage", for: .backend(.send, sendMessage))
                .does("Send a message, or tell who would get it", "All or nothing; durable when answered.")
                .header(
                    "Idempotency-Key", .string(1...IdempotencyKey.maximumBytes),
                    "Printable ASCII. A repeat under the key within 24 hours gets the first answer and sends nothing."
                )
                .takes(.messageRequest(limits))
                .answers(202, "It is sent.", .json(.sentMessage))
                .answers(200, "Who would get it: `dry_run` was set.", .json(.rehearsal))
                .refuses(409, "The key came with another request before.")
                .refuses(413, "The body or a part of it has more bytes than a limit allows."),

            Operation(.get, "/v1/messages", "listMessages", for: .backend(.read, listMessages))
                .does("List messages, newest first")
                .query(
                    "limit", .integer(1...Int64(MessagePage.largestLimit)), "At most so many; 50 if absent."
                )
                .query(
                    "before", .opaque, "The `next` of the page before; or a message's id, to begin behind it."
                )
                .answers(200, "A page; `next` is null on the last one.", .json(.messagePage)),

            Operation(.get, "/v1/messages/{message}", "showMessage", for: .backend(.read, showMessage))
                .does("Show a message with its counts")
                .path("message", .string, "The message's id, as it was answered or as a UUID.")
                .answers(200, "The message.", .json(.messageReport))
                .refuses(404, "No message of this app has the id."),

            Operation(.delete, "/v1/messages/{message}", "recallMessage", for: .backend(.send, recallMessage))
                .does("Take a message back from everyone")
                .path("message", .string, "The message's id, as it was answered or as a UUID.")
                .answers(204, "It is in no inbox any more.")
                .refuses(
                    404,
                    "No message of this app has the id, or the detail says that it expired or was recalled before."
                ),
        ]
    }
}
