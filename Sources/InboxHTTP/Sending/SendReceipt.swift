import HTTPCore
import InboxModel
import InboxService
import InboxWire

/// What an answer to a send is made of, besides what the store found: kept with the request's key, so that a repeat
/// is answered by the same bytes.
struct SendReceipt: Codable {
    /// The answer's `operation_id` on the server API; nothing on Martlet's own.
    var operation: String?
    var pushes: [Push]

    struct Push: Codable {
        /// The message's id; also of a push that has no message.
        var id: String
        var hasMessage: Bool
        /// What the audience of a push without a message names in vain.
        var unknown: [String] = []
        var warnings: [String]
    }

    init(operation: String?, pushes: [Push]) {
        self.operation = operation
        self.pushes = pushes
    }

    /// Reads what `memo` wrote.
    init(memo: String) throws {
        self = try StoredForm.value(of: memo)
    }

    var memo: String {
        get throws { try StoredForm.text(self) }
    }

    /// The answer, with what became of those pushes that have a message.
    func response(_ outcomes: [SendOutcome]) -> Response {
        let byID = Dictionary(outcomes.map { ($0.message.text, $0) }) { first, _ in first }
        let sent = pushes.map { SentPush(push: $0, outcome: byID[$0.id]) }
        guard let operation else {
            return .json(status: 202) { body in for push in sent { body.members(of: push) } }
        }
        return .vendor(status: 202) { body in
            body.member("operation_id", operation)
            body.member("push_ids", sent.map(\.pushID))
            body.member("message_ids", sent.filter { $0.outcome != nil }.map(\.push.id))
            body.array("content_urls") { _ in }
            body.array("localized_ids") { _ in }
            // The whole request, then each push; published clients skip what they do not know.
            body.reached(
                sent.reduce(0) { $0 + ($1.outcome?.recipients ?? 0) }, unknown: sent.flatMap(\.unknown))
            body.member("state", sent.contains { $0.outcome?.estimate != nil } ? "delivering" : "sent")
            body.array("pushes") { list in
                for push in sent { list.object { $0.members(of: push) } }
            }
        }
    }
}

extension SendReceipt.Push {
    init(_ message: MessageID, hasMessage: Bool = true, unknown: [String] = [], warnings: [String]) {
        self.init(id: message.text, hasMessage: hasMessage, unknown: unknown, warnings: warnings)
    }
}

/// What became of one push.
private struct SentPush {
    let push: SendReceipt.Push
    /// Nothing for a push without a message.
    let outcome: SendOutcome?

    var unknown: [String] { outcome?.unknown ?? push.unknown }

    var pushID: String { MessageID(wire: push.id)?.pushID ?? push.id }
}

extension Shard {
    /// Sends all that has a message in one transaction, or answers as the first request under the key was answered.
    func send(
        _ sends: [Send], as receipt: SendReceipt, under request: RepeatableRequest?, for caller: BackendCaller
    ) async throws -> Response {
        let memo = request == nil ? "" : try receipt.memo
        let terms = SendTerms(actor: caller.actor, request: request, memo: memo)
        switch try await store.send(sends, for: caller.app, as: terms) {
        case .sent(let outcomes):
            if outcomes.contains(where: { $0.estimate != nil }) { configuration.fanOutBegan() }
            return receipt.response(outcomes)
        case .repeated(let first): return try SendReceipt(memo: first.memo).response(first.outcomes)
        }
    }

    /// The answer that a request to send had if it came before under its key.
    func firstAnswer(to request: RepeatableRequest?, in app: AppCredentials) async throws -> Response? {
        guard let request, let first = try await store.firstAnswer(to: request, in: app.app) else {
            return nil
        }
        return try SendReceipt(memo: first.memo).response(first.outcomes)
    }
}

extension JSONWriter {
    /// One push of an answer, with what it reached.
    fileprivate mutating func members(of push: SentPush) {
        if push.push.hasMessage { member("message_id", push.push.id) }
        member("push_id", push.pushID)
        reach(
            push.outcome?.recipients ?? 0, unknown: push.unknown, outcome: push.outcome, push.push.warnings)
    }

    /// Members that say what a send reached, and how it differs from what was asked for.
    mutating func reach(_ recipients: Int, unknown: [String], outcome: SendOutcome?, _ warnings: [String]) {
        reached(recipients, unknown: unknown)
        if let outcome {
            member("state", outcome.estimate == nil ? "sent" : "delivering")
            if let estimate = outcome.estimate { member("estimate", estimate) }
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
