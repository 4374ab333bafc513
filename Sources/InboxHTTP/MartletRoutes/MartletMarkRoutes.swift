import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `POST /v1/inbox/read`, `/unread` and `/delete`.
    static func marking(_ mark: Mark) -> Access.ReaderHandler {
        { shard, call, credential in try await shard.mark(call, credential.reader, as: mark) }
    }

    private func mark(_ call: Call, _ reader: Reader, as mark: Mark) async throws -> Response {
        let request = try MarkRequest(try call.plainBody(), limits: configuration.limits)
        switch request {
        case .messages(let messages): try await apply(mark, to: messages, of: reader)
        case .all(let upTo):
            try await applyToAll(mark, of: reader, upTo: try await point(upTo, of: reader))
        }
        let (unreadCount, cursor) = try await standing(of: reader)
        return .privateJSON(
            JSONWriter.bytes { writer in
                writer.object { body in
                    body.member("unread_count", unreadCount)
                    body.member("cursor", cursor)
                }
            })
    }

    /// How many unread messages the reader's view has now, and its cursor: what a change is answered with.
    func standing(of reader: Reader) async throws -> (unreadCount: Int, cursor: String) {
        let epoch = try await store.epoch
        let (view, reader) = try await martletView(of: reader)
        let point = ViewPoint(view, of: reader)
        let cursor = Cursor(epoch: epoch, app: reader.user.app, point: point)
        return (view.unreadCount, cursors.text(of: cursor))
    }

    /// What a cursor says that the client has seen.
    private func point(_ upTo: JSONField, of reader: Reader) async throws -> ViewPoint {
        switch cursors.read(try upTo.string()) {
        case .cursor(let cursor):
            if cursor.isOfView(of: reader, epoch: try await store.epoch) { return cursor.point }
        case .foreign: break
        case .unreadable: throw upTo.invalid("must be a cursor that this API answered")
        }
        throw Shard.foreignPoint
    }
}

/// Which messages a client wants to mark.
enum MarkRequest {
    case messages([MessageID])
    /// All that the view showed at a cursor.
    case all(upTo: JSONField)

    init(_ body: [UInt8], limits: Limits) throws(InboxError) {
        let root = try JSONField(body: body)
        try root.allowOnly(["ids", "all", "up_to"])
        guard let ids = root.member("ids") else {
            guard let all = root.member("all") else {
                throw .invalid(field: "ids", reason: "'ids', or 'all' with 'up_to', must be set")
            }
            guard try all.bool() else { throw all.invalid("must be true, if it is set") }
            self = .all(upTo: try root.required("up_to"))
            return
        }
        for other in ["all", "up_to"] {
            guard let field = root.member(other) else { continue }
            throw field.invalid("must not be set beside 'ids'")
        }
        let elements = try ids.elements()
        guard elements.count <= limits.idsPerBatch else {
            throw ids.invalid(
                "names more than \(limits.idsPerBatch) messages",
                limit: Limit("ids_per_batch", limits.idsPerBatch))
        }
        var known: Set<MessageID> = []
        var messages: [MessageID] = []
        for element in elements {
            // What is no id is the id of no message.
            guard let id = MessageID(wire: try element.string()), known.insert(id).inserted else { continue }
            messages.append(id)
        }
        self = .messages(messages)
    }
}
