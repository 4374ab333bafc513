import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform

extension Shard {
    /// `POST /api/push`: sends one push or an array of them, all or nothing.
    static func push(_ shard: isolated Shard, _ call: Call, _ app: AppCredentials) async throws -> Response {
        let pushes = try PushRequest.parse(
            try call.plainBody(), limits: shard.configuration.limits, now: app.now)
        let sent = try await shard.send(pushes, for: app)
        return .vendor(status: 202) { body in
            body.member("operation_id", UUID().uuidString.lowercased())
            body.member("push_ids", sent.map(\.message.pushID))
            body.member("message_ids", sent.filter { $0.outcome != nil }.map(\.message.text))
            body.array("content_urls") { _ in }
            body.array("localized_ids") { _ in }
            // The whole request, then each push; published clients skip what they do not know.
            body.reached(
                sent.reduce(0) { $0 + ($1.outcome?.recipients ?? 0) }, unknown: sent.flatMap(\.unknown))
            body.member("state", "sent")
            body.array("pushes") { list in for push in sent { list.value(push) } }
        }
    }

    /// `POST /api/push/validate`: the same rules, and nothing is sent.
    static func validatePush(
        _ shard: isolated Shard, _ call: Call, _ app: AppCredentials
    ) async throws -> Response {
        let limits = shard.configuration.limits
        _ = try PushRequest.parse(try call.plainBody(), limits: limits, now: app.now)
        return .vendor()
    }

    /// Sends those pushes that have a message in one transaction.
    private func send(_ pushes: [PushRequest], for app: AppCredentials) async throws -> [SentPush] {
        let ids = pushes.map { _ in MessageID(pushID: UUID()) }
        let sends = zip(ids, pushes).compactMap { id, push in
            push.draft.map { draft in
                Send(
                    message: id, draft: draft, audience: push.audience, deviceTypes: push.deviceTypes,
                    pushJSON: push.json)
            }
        }
        // Before the send: what fails here must not have sent anything.
        var unknown: [MessageID: [String]] = [:]
        for (id, push) in zip(ids, pushes) where push.draft == nil {
            unknown[id] = try await store.reach(push.audience, push.deviceTypes, for: app).unknown
        }
        let outcomes = sends.isEmpty ? [] : try await store.send(sends, for: app)
        let byID = Dictionary(outcomes.map { ($0.message, $0) }) { first, _ in first }
        return zip(ids, pushes).map { id, push in
            SentPush(
                message: id, outcome: byID[id], unknown: byID[id]?.unknown ?? unknown[id] ?? [],
                warnings: push.warnings)
        }
    }
}

/// What became of one push.
struct SentPush {
    var message: MessageID
    /// Nothing for a push without a message.
    var outcome: SendOutcome?
    var unknown: [String]
    var warnings: [String]
}

extension JSONWriter {
    /// One push of an answer, with what it reached.
    fileprivate mutating func value(_ push: SentPush) {
        object { body in
            body.member("push_id", push.message.pushID)
            if push.outcome != nil { body.member("message_id", push.message.text) }
            body.reach(
                push.outcome?.recipients ?? 0, unknown: push.unknown, outcome: push.outcome, push.warnings)
        }
    }

    /// Members that say what a send reached, and how it differs from what was asked for.
    mutating func reach(_ recipients: Int, unknown: [String], outcome: SendOutcome?, _ warnings: [String]) {
        reached(recipients, unknown: unknown)
        if let outcome {
            member("state", "sent")
            member("sent", outcome.sent.millisecondsText)
            member("expires", outcome.expires.millisecondsText)
            member("expiry_clamped", outcome.isExpiryClamped)
        }
        if !warnings.isEmpty { member("warnings", warnings) }
    }

    /// How many inboxes a send reached, and whom it named in vain.
    fileprivate mutating func reached(_ recipients: Int, unknown: [String]) {
        member("recipients", recipients)
        // A selector may stand in several places of an audience.
        var named: Set<String> = []
        member("unknown", unknown.filter { named.insert($0).inserted })
    }
}
