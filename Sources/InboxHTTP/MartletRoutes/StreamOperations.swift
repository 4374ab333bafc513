import HTTPCore

extension Shard {
    /// What tells clients that their inbox has changed.
    static func streamOperations() -> [Operation] {
        [
            Operation(.get, "/v1/inbox/events", "watchInbox", for: .reader(openEvents))
                .does(
                    "Hear when the inbox changes",
                    """
                    Server-sent events. First `ready`; then `changed` whenever the view may be another, with data \
                    {"within": seconds} after a broadcast, over which clients spread their refresh; at last `end` with \
                    data {"reason", "retry"}. An event is a hint: after each the client asks for changes with its own \
                    cursor, and after each connection too. A comment comes every 15 seconds.
                    """
                )
                .header("Last-Event-ID", .string, "Browsers send it; it means nothing here.")
                .answers(200, "Events, until either side ends them.", .bytes("text/event-stream"))
                .refuses(429, "The credential has as many open streams as it may.")
                .refuses(503, "The server has as many open streams as it can hold, or is not ready.")
        ]
    }
}
