import InboxModel
import InboxService

extension ScriptedStore {
    func profile(of app: AppID) async throws -> AppProfile {
        try step()
        throw InboxError.notFound(what: "app")
    }

    func change(_ change: SettingsChange, of app: AppID, by actor: String) async throws -> AppProfile {
        try await profile(of: app)
    }

    func allows(_ origin: Origin, by claim: AppClaim?) async throws -> Bool {
        try step()
        return true
    }

    func keep(_ events: [ClientEvent], of user: UserID) async throws { try step() }

    func list(of person: NamedUserID, in app: AppID) async throws -> ListSnapshot? {
        try step()
        return nil
    }

    func dossier(of person: NamedUserID, in app: AppID, for actor: String) async throws -> Dossier? {
        try step()
        return nil
    }

    func holdings(of person: NamedUserID, in app: AppID) async throws -> PersonHoldings? {
        try step()
        return nil
    }

    func erase(_ person: NamedUserID, in app: AppID, by actor: String) async throws -> Bool {
        try step()
        return false
    }

    func audit(of app: AppID, before: Int64?, limit: Int) async throws -> [AuditEntry] {
        try step()
        return []
    }
}
