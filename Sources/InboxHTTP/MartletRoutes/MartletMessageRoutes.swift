import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform

extension Shard {
    /// `POST /v1/messages`: sends one message, or tells who would get it.
    static func sendMessage(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let repeatable = try call.repeatable(as: "POST /v1/messages")
        if let answer = try await shard.firstAnswer(to: repeatable, in: app) { return answer }
        let request = try MessageRequest(
            try call.plainBody(), limits: shard.configuration.limits, now: app.now)
        guard !request.isDryRun else { return try await shard.rehearse(request, for: app) }
        let id = MessageID(pushID: UUID())
        let send = Send(
            message: id, draft: request.draft, audience: request.audience, deviceTypes: request.deviceTypes,
            pushJSON: request.json)
        let receipt = SendReceipt(
            operation: nil, pushes: [SendReceipt.Push(id, warnings: request.warnings)])
        return try await shard.send([send], as: receipt, under: repeatable, for: caller)
    }

    func rehearse(_ request: MessageRequest, for app: AppCredentials) async throws -> Response {
        let reach = try await store.reach(request.audience, request.deviceTypes, for: app)
        return .json { body in
            body.member("dry_run", true)
            body.reach(reach.recipients, unknown: reach.unknown, outcome: nil, request.warnings)
        }
    }

    /// `GET /v1/messages?limit=&before=`: newest first; `next` is the `before` of the next page.
    static func listMessages(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let page = try MessagePage(call.request)
        let before = try await shard.position(before: page.before, in: app)
        // One more than is shown says whether there is a next page.
        let found = try await shard.store.messages(in: app.app, before: before, limit: page.limit + 1)
        let shown = found.prefix(page.limit)
        return .json { body in
            body.array("messages") { list in
                for report in shown {
                    list.object { $0.members(of: report, now: app.now) }
                }
            }
            body.member("next", orNull: found.count > page.limit ? shown.last?.position.text : nil)
        }
    }

    /// The place that a page begins behind: as the page before named it, or of a message.
    private func position(before text: String?, in app: AppCredentials) async throws -> ListPosition? {
        guard let text else { return nil }
        if let position = ListPosition(text: text) { return position }
        guard let id = MessageID(wire: text), let position = try await store.position(of: id, in: app.app)
        else {
            throw InboxError.invalid(
                field: "before", reason: "must be the 'next' of a page, or the id of a message")
        }
        return position
    }

    /// `GET /v1/messages/{id}`: one message with its counts.
    static func showMessage(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        guard let id = MessageID(wire: call.parameters[0]),
            let report = try await shard.store.message(id, in: app.app)
        else { throw InboxError.notFound(what: "message") }
        return .json { body in
            body.members(of: report, now: app.now)
            if let progress = report.progress {
                body.object("progress") { body in
                    body.member("delivered", progress.delivered)
                    body.member("estimate", progress.estimate)
                }
            }
            body.member("recipients", report.recipients)
            body.member("read", report.readCount)
            body.member("deleted", report.deletedCount)
            body.member("fetched", report.fetchedCount)
        }
    }

    /// `DELETE /v1/messages/{id}`: takes a message back from everyone.
    static func recallMessage(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        try await shard.recall(call.parameters[0], for: caller)
        return Response(status: 204)
    }
}

/// Which page of messages is asked for.
struct MessagePage {
    var limit: Int
    /// As it came.
    var before: String?

    /// Bounds what one answer holds in memory; a message takes up to 35 kB of it.
    static let largestLimit = 100

    init(_ request: Request) throws(InboxError) {
        limit = try request.pageLimit("messages_per_page", upTo: MessagePage.largestLimit, or: 50)
        before = request.queryValues("before").first
    }
}

extension JSONWriter {
    /// What is known of a sent message without counting.
    fileprivate mutating func members(of report: MessageReport, now: Instant) {
        let head = report.head
        member("message_id", head.id.text)
        member("push_id", head.id.pushID)
        member("state", report.state(at: now))
        member("title", head.title)
        member("content_type", head.contentType)
        member("body_bytes", head.bodyBytes)
        member("extra", head.extra)
        member("icon", orNull: head.icon)
        member("device_types", head.deviceTypes.words)
        member("broadcast", report.isBroadcast)
        member("sent", head.sent.millisecondsText)
        member("expires", head.expires.millisecondsText)
        member("recalled", orNull: report.recalled?.millisecondsText)
    }
}

extension MessageReport {
    fileprivate var position: ListPosition { ListPosition(sent: head.sent, message: head.id) }

    /// The wire's word for what holds first: recalled, expired, on its way, sent.
    fileprivate func state(at now: Instant) -> String {
        if recalled != nil { return "recalled" }
        if head.expires <= now { return "expired" }
        return progress == nil ? "sent" : "delivering"
    }
}

extension DeviceTypes {
    /// The wire's words.
    fileprivate var words: [String] {
        self == .all ? ["all"] : DeviceType.allCases.filter { contains(DeviceTypes($0)) }.map(\.text)
    }
}
