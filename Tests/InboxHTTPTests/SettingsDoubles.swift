import InboxModel
import InboxService
import InboxStorage

extension FaultyStore {
    func profile(of app: AppID) async throws -> AppProfile { try await passed().profile(of: app) }

    func change(_ change: SettingsChange, of app: AppID, by actor: String) async throws -> AppProfile {
        try await passed().change(change, of: app, by: actor)
    }

    func audit(of app: AppID, before: Int64?, limit: Int) async throws -> [AuditEntry] {
        try await passed().audit(of: app, before: before, limit: limit)
    }
}

extension ScriptedStore {
    func profile(of app: AppID) async throws -> AppProfile {
        try step()
        throw InboxError.notFound(what: "app")
    }

    func change(_ change: SettingsChange, of app: AppID, by actor: String) async throws -> AppProfile {
        try await profile(of: app)
    }

    func audit(of app: AppID, before: Int64?, limit: Int) async throws -> [AuditEntry] {
        try step()
        return []
    }
}
