import InboxModel
import InboxWire

/// The body of a batch: the `message_reporting` values of messages, as they were listed.
enum MessageBatch {
    /// The ids that the elements hold, each once; elements that hold none are passed over.
    ///
    /// - Throws: `InboxError.invalid` if there is no JSON with a `messages` array, or more ids than the limit.
    static func messages(in body: [UInt8], limits: Limits) throws(InboxError) -> [MessageID] {
        let root: JSON
        do {
            root = try JSON.parse(body, duplicateNames: .lastWins)
        } catch {
            throw InboxError(error)
        }
        guard case .array(let elements)? = root["messages"] else {
            throw .invalid(field: "messages", reason: "must be an array")
        }
        var known: Set<MessageID> = []
        let messages = elements.compactMap(message).filter { known.insert($0).inserted }
        guard messages.count <= limits.idsPerBatch else {
            throw .invalid(
                field: "messages", reason: "names more than \(limits.idsPerBatch) messages",
                limit: Limit("ids_per_batch", limits.idsPerBatch))
        }
        return messages
    }

    private static func message(_ element: JSON) -> MessageID? {
        switch element {
        case .string(let text): MessageID(wire: text)
        case .object:
            if case .string(let text)? = element["message_id"] { MessageID(wire: text) } else { nil }
        case .null, .bool, .number, .array: nil
        }
    }
}
