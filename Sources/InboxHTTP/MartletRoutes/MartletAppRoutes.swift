import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `GET /v1/app`.
    static func showApp(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        .json(try await shard.store.profile(of: caller.app.app))
    }

    /// `PATCH /v1/app`.
    static func changeApp(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let change = try SettingsChange(try call.plainBody())
        return .json(try await shard.store.change(change, of: caller.app.app, by: caller.actor))
    }

    /// `GET /v1/audit?limit=&before=`.
    static func listAudit(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let page = try AuditPage(call.request)
        // One more than is shown says whether there is a next page.
        let found = try await shard.store.audit(
            of: caller.app.app, before: page.before, limit: page.limit + 1)
        let shown = found.prefix(page.limit)
        return .json { body in
            body.array("entries") { list in for entry in shown { list.value(entry) } }
            body.member("next", orNull: found.count > page.limit ? shown.last.map { "\($0.id)" } : nil)
        }
    }
}

/// Which page of the audit is asked for.
struct AuditPage {
    var limit: Int
    var before: Int64?

    /// Bounds what one answer holds in memory.
    static let largestLimit = 100

    init(_ request: Request) throws(InboxError) {
        limit = try request.pageLimit("entries_per_page", upTo: AuditPage.largestLimit, or: 50)
        guard let text = request.queryValues("before").first else { return }
        guard text.utf8.count <= 19, let id = Int64(text) else {
            throw .invalid(field: "before", reason: "must be the 'next' of a page")
        }
        before = id
    }
}

extension Response {
    fileprivate static func json(_ profile: AppProfile) -> Response {
        let settings = profile.settings
        return .json { body in
            body.member("app_key", profile.key.text)
            body.member("name", profile.name)
            body.member("delivery_mode", settings.deliveryMode.word)
            body.member("identity_mode", settings.identityMode.word)
            body.member("filter_mode", settings.filterMode.word)
            body.member("filter_untargeted", settings.filterUntargeted)
            body.member("inbox_cap", settings.inboxCap)
            body.member("broadcast_spread_seconds", settings.broadcastSpreadSeconds)
            body.member("cors_origins", settings.corsOrigins.map(\.text))
        }
    }
}

extension JSONWriter {
    /// A line of the audit.
    mutating func value(_ entry: AuditEntry) {
        object { body in
            body.member("id", "\(entry.id)")
            body.member("at", entry.at.millisecondsText)
            body.member("actor", entry.line.actor)
            body.member("action", entry.line.action)
            body.member("subject", entry.line.subject)
            body.name("detail")
            body.raw(entry.line.detailJSON.utf8)
        }
    }
}
