import InboxModel
import InboxService
import InboxWire

extension ClientEvent {
    /// Reads a batch of events.
    static func batch(_ body: [UInt8], limits: Limits) throws(InboxError) -> [ClientEvent] {
        let root = try JSONField(body: body)
        try root.allowOnly(["events"])
        let field = try root.required("events")
        let elements = try field.elements()
        guard !elements.isEmpty else { throw field.invalid("must not be empty") }
        guard elements.count <= limits.eventsPerBatch else {
            throw field.invalid(
                "has more than \(limits.eventsPerBatch) events",
                limit: Limit("events_per_batch", limits.eventsPerBatch))
        }
        var events: [ClientEvent] = []
        events.reserveCapacity(elements.count)
        for element in elements { events.append(try ClientEvent(element)) }
        return events
    }

    private init(_ field: JSONField) throws(InboxError) {
        try field.allowOnly(["id", "type", "message_id", "at", "data"])
        self.init(
            id: try ClientEvent.id(try field.required("id")),
            type: try ClientEvent.type(try field.required("type")),
            message: nil, at: nil, dataJSON: "{}")
        if let id = field.member(unlessNull: "message_id") {
            guard let message = MessageID(wire: try id.string()) else {
                throw id.invalid("must be a message's id")
            }
            self.message = message
        }
        if let at = field.member(unlessNull: "at") {
            guard let time = CalendarTime(text: try at.string()) else {
                throw at.invalid("must be a time in UTC such as 2031-05-06T07:08:09.000Z")
            }
            self.at = time.instant
        }
        if let data = field.member(unlessNull: "data") { dataJSON = try ClientEvent.data(data) }
    }

    private static func id(_ field: JSONField) throws(InboxError) -> String {
        let text = try field.string()
        guard (1...idScalars).contains(text.unicodeScalars.count) else {
            throw field.invalid(
                "must have 1 to \(idScalars) characters",
                limit: text.isEmpty ? nil : Limit("event_id_scalars", idScalars))
        }
        return text
    }

    private static func type(_ field: JSONField) throws(InboxError) -> String {
        let text = try field.string()
        let isWord = text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "_.-".utf8.contains(byte)
        }
        guard isWord, (1...typeBytes).contains(text.utf8.count) else {
            throw field.invalid(
                "must be 1 to \(typeBytes) of a-z, 0-9, '_', '.' and '-'",
                limit: text.utf8.count > typeBytes ? Limit("event_type_bytes", typeBytes) : nil)
        }
        return text
    }

    private static func data(_ field: JSONField) throws(InboxError) -> String {
        let members = try field.members()
        guard members.count <= dataKeys else {
            throw field.invalid("has more than \(dataKeys) keys", limit: Limit("event_data_keys", dataKeys))
        }
        var bytes = 0
        for (name, value) in members {
            guard !name.utf8.contains(0) else { throw field.invalid("a key contains the character U+0000") }
            bytes += name.utf8.count + (try value.string()).utf8.count
        }
        guard bytes <= dataBytes else {
            throw field.invalid(
                "has more than \(dataBytes) bytes of keys and values",
                limit: Limit("event_data_bytes", dataBytes))
        }
        return String(decoding: JSONWriter.bytes { $0.value(field.value) }, as: UTF8.self)
    }
}
