import Crypto
import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `POST /v1/named-users/{id}/export`: everything that is kept about a person.
    static func exportPerson(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app.app
        guard let dossier = try await shard.store.dossier(of: try call.person(), in: app, for: caller.actor)
        else {
            throw InboxError.notFound(what: "named user")
        }
        var contents = ExportedMessages(limitBytes: shard.configuration.limits.exportBytes)
        let held = dossier.messages.filter { !$0.isBroadcast }
        for start in stride(from: 0, to: held.count, by: ExportedMessages.atOnce) {
            let some = held[start..<min(start + ExportedMessages.atOnce, held.count)]
            try await shard.export(some, of: app, into: &contents)
        }
        let isComplete = dossier.isComplete && contents.isComplete
        var response = Response.json { body in
            body.member("complete", isComplete)
            body.member("exported", caller.app.now.millisecondsText)
            body.members(of: dossier.person)
            body.name("messages")
            body.raw(contents.array)
            body.members(besidesMessages: dossier)
        }
        response.headers.add("Cache-Control", "no-store")
        return response
    }

    /// Adds messages with their bodies, one after another, so that others get their turns in between.
    private func export(
        _ held: ArraySlice<HeldMessage>, of app: AppID, into contents: inout ExportedMessages
    ) async throws {
        let found = try await store.heads(of: held.map(\.message), in: app)
        let heads = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        for message in held {
            guard let head = heads[message.message] else { continue }
            let body =
                contents.hasRoom(for: head.bodyBytes) ? try await store.body(of: head.id, in: app) : nil
            contents.add(message, head, body?.bytes)
        }
    }
}

/// Messages of a person as JSON, with as many bodies as there is room for.
struct ExportedMessages {
    private let limitBytes: Int
    private var bodyBytes = 0
    private var writer = JSONWriter(capacity: 4096)
    /// Whether every body found room.
    private(set) var isComplete = true

    /// Messages whose heads are read together: some hundred kB.
    static let atOnce = 200

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// The JSON array.
    var array: [UInt8] { [UInt8(ascii: "[")] + writer.bytes + [UInt8(ascii: "]")] }

    mutating func hasRoom(for bytes: Int) -> Bool {
        if bodyBytes + bytes > limitBytes { isComplete = false }
        return bodyBytes + bytes <= limitBytes
    }

    mutating func add(_ held: HeldMessage, _ head: MessageHead, _ body: [UInt8]?) {
        bodyBytes += body?.count ?? 0
        writer.object { message in
            message.members(of: held)
            message.member("title", head.title)
            message.member("content_type", head.contentType)
            message.member("body_bytes", head.bodyBytes)
            message.member("extra", head.extra)
            message.member("icon", orNull: head.icon)
            message.member("sent", head.sent.millisecondsText)
            message.member("expires", head.expires.millisecondsText)
            message.member("body", orNull: body.map { Base64.encode($0) })
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of held: HeldMessage) {
        member("message_id", held.message.text)
        member("state", held.isDeleted ? "deleted" : held.isUnread ? "unread" : "read")
        member("marked", orNull: held.marked?.millisecondsText)
    }

    fileprivate mutating func members(besidesMessages dossier: Dossier) {
        array("broadcast_marks") { list in
            for held in dossier.messages where held.isBroadcast { list.object { $0.members(of: held) } }
        }
        array("sessions") { list in
            for session in dossier.sessions {
                list.object { body in
                    body.member("user_id", session.user.text)
                    body.member("created", session.created.millisecondsText)
                    body.member("expires", session.expires.millisecondsText)
                }
            }
        }
        array("events") { list in for event in dossier.events { list.value(event) } }
        array("audit") { list in for entry in dossier.audit { list.value(entry) } }
    }

    private mutating func value(_ held: HeldEvent) {
        object { body in
            body.member("id", held.event.id)
            body.member("type", held.event.type)
            body.member("message_id", orNull: held.event.message?.text)
            body.member("at", orNull: held.event.at?.millisecondsText)
            body.name("data")
            body.raw(held.event.dataJSON.utf8)
            body.member("received", held.received.millisecondsText)
        }
    }
}
