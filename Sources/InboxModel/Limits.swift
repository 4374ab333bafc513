/// The bounds of everything a caller can make grow; each can be configured, and `martlet doctor` shows them.
package struct Limits: Hashable, Sendable {
    /// Of one message; bodies are kept whole in memory while they are served.
    package var messageBodyBytes = 512 * 1024
    package var titleBytes = 1024
    package var extraKeys = 100
    /// Keys and values together: they travel in every list.
    package var extraBytes = 32 * 1024
    package var iconBytes = 2048
    package var contentTypeBytes = 255
    /// Longest life of a message: a year, what the field's services keep.
    package var lifeSeconds: Int64 = 365 * 86_400
    package var selectorsPerPush = 1000
    package var pushesPerRequest = 100
    package var schedulesPerRequest = 1000
    /// That wait to be sent.
    package var schedulesPerApp = 10_000
    package var scheduleNameBytes = 255
    package var idsPerBatch = 10_000
    /// Recipients up to which a send delivers before it is answered; above, in the background.
    package var recipientsInRequest = 1000
    /// Inboxes that a delivery in the background locks at once: few enough that marks do not wait long.
    package var fanOutChunk = 500
    /// Events of a client in one request; what a device collects in a day without a network.
    package var eventsPerBatch = 1000
    /// Bodies of messages in the export of a person together; an answer is kept whole in memory.
    package var exportBytes = 32 * 1024 * 1024
    /// Messages, events and so on in the export of a person, of each kind.
    package var exportRows = 20_000
    package var tagsPerChannel = 1000
    package var tagScalars = 128
    package var tagsPerGroupInRequest = 100
    package var channelsPerNamedUser = 100
    package var audienceDepth = 20
    /// Open streams of one credential in a process: some windows of a browser, and a phone that has not noticed yet
    /// that its last connection is gone.
    package var streamsPerCredential = 10
    /// Recipients up to which a recall writes a tombstone per delivery; above, one row of the app's log.
    package var tombstonesPerRecall = 1000
    /// Of a token that proves who logs in.
    package var proofBytes = 4096
    /// Longest time between a token's `iat` and `exp`: a day.
    package var proofLifeSeconds: Int64 = 86_400

    package init() {}
}

extension Limits {
    /// All of them by the names that refusals give them.
    package var all: [Limit] {
        [
            Limit("message_body_bytes", messageBodyBytes), Limit("title_bytes", titleBytes),
            Limit("extra_keys", extraKeys), Limit("extra_bytes", extraBytes), Limit("icon_bytes", iconBytes),
            Limit("content_type_bytes", contentTypeBytes), Limit("life_seconds", Int(lifeSeconds)),
            Limit("selectors_per_push", selectorsPerPush), Limit("pushes_per_request", pushesPerRequest),
            Limit("schedules_per_request", schedulesPerRequest), Limit("schedules_per_app", schedulesPerApp),
            Limit("schedule_name_bytes", scheduleNameBytes),
            Limit("recipients_in_request", recipientsInRequest), Limit("fan_out_chunk", fanOutChunk),
            Limit("ids_per_batch", idsPerBatch), Limit("events_per_batch", eventsPerBatch),
            Limit("export_bytes", exportBytes), Limit("export_rows", exportRows),
            Limit("tags_per_channel", tagsPerChannel), Limit("tag_scalars", tagScalars),
            Limit("tags_per_group_in_request", tagsPerGroupInRequest),
            Limit("channels_per_named_user", channelsPerNamedUser), Limit("audience_depth", audienceDepth),
            Limit("tombstones_per_recall", tombstonesPerRecall), Limit("proof_bytes", proofBytes),
            Limit("proof_life_seconds", Int(proofLifeSeconds)),
            Limit("streams_per_credential", streamsPerCredential),
        ]
    }
}
