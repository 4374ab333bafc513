import InboxModel
import InboxService
import InboxStorage

extension FaultyStore {
    func profile(of app: AppID) async throws -> AppProfile { try await passed().profile(of: app) }

    func change(_ change: SettingsChange, of app: AppID, by actor: String) async throws -> AppProfile {
        try await passed().change(change, of: app, by: actor)
    }

    func allows(_ origin: Origin, by claim: AppClaim?) async throws -> Bool {
        try await passed().allows(origin, by: claim)
    }

    func keep(_ events: [ClientEvent], of user: UserID) async throws {
        try await passed().keep(events, of: user)
    }

    func list(of person: NamedUserID, in app: AppID) async throws -> ListSnapshot? {
        try await passed().list(of: person, in: app)
    }

    func dossier(of person: NamedUserID, in app: AppID, for actor: String) async throws -> Dossier? {
        try await passed().dossier(of: person, in: app, for: actor)
    }

    func holdings(of person: NamedUserID, in app: AppID) async throws -> PersonHoldings? {
        try await passed().holdings(of: person, in: app)
    }

    func erase(_ person: NamedUserID, in app: AppID, by actor: String) async throws -> Bool {
        try await passed().erase(person, in: app, by: actor)
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
