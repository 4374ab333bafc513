import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// What devices and sessions say of messages.
    static func eventOperations(_ limits: Limits) -> [Operation] {
        [
            Operation(.post, "/v1/events", "keepEvents", for: .reader(keepEvents))
                .does(
                    "Tell what was displayed, opened and the like",
                    "A batch may be repeated: an event whose id this reader has used is not kept twice."
                )
                .takes(.eventBatch(limits))
                .answers(200, "All of them are kept.", .json(.object([.member("accepted", .count)])))
        ]
    }

    /// `POST /v1/events`.
    private static func keepEvents(
        _ shard: isolated Shard, _ call: Call, _ credential: Credential
    ) async throws -> Response {
        let events = try ClientEvent.batch(try call.plainBody(), limits: shard.configuration.limits)
        try await shard.store.keep(events, of: credential.reader.user)
        return .json { $0.member("accepted", events.count) }
    }
}

extension Schema {
    fileprivate static func eventBatch(_ limits: Limits) -> Schema {
        .named(
            "EventBatch",
            .request([
                .member(
                    "events",
                    .array(of: .named("ClientEvent", event), atLeast: 1, atMost: limits.eventsPerBatch))
            ]))
    }

    private static let event = Schema.request([
        .member("id", .string(1...ClientEvent.idScalars), "The client's own, such as a UUID."),
        .member(
            "type", .string(matching: "[a-z0-9_.-]{1,\(ClientEvent.typeBytes)}"),
            "`displayed`, `opened`, `dismissed`, `clicked`, or a word of the customer's own."),
        .optional("message_id", .nullable(.messageID)),
        .optional("at", .nullable(.time), "When it happened, by the client's clock."),
        .optional(
            "data",
            .nullable(.map(of: .string(0...ClientEvent.dataBytes), atMost: ClientEvent.dataKeys)),
            "At most \(ClientEvent.dataBytes) bytes of keys and values."),
    ])
}
