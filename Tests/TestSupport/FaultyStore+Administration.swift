package import InboxModel
package import InboxService
import InboxStorage

extension FaultyStore {
    package func profile(of app: AppID) async throws -> AppProfile { try await passed().profile(of: app) }

    package func change(_ change: SettingsChange, of app: AppID, by actor: String) async throws -> AppProfile
    {
        try await passed().change(change, of: app, by: actor)
    }

    package func allows(_ origin: Origin, by claim: AppClaim?) async throws -> Bool {
        try await passed().allows(origin, by: claim)
    }

    package func keep(_ events: [ClientEvent], of user: UserID) async throws {
        try await passed().keep(events, of: user)
    }

    package func list(of person: NamedUserID, in app: AppID) async throws -> ListSnapshot? {
        try await passed().list(of: person, in: app)
    }

    package func dossier(of person: NamedUserID, in app: AppID, for actor: String) async throws -> Dossier? {
        try await passed().dossier(of: person, in: app, for: actor)
    }

    package func holdings(of person: NamedUserID, in app: AppID) async throws -> PersonHoldings? {
        try await passed().holdings(of: person, in: app)
    }

    package func erase(_ person: NamedUserID, in app: AppID, by actor: String) async throws -> Bool {
        try await passed().erase(person, in: app, by: actor)
    }

    package func audit(of app: AppID, before: Int64?, limit: Int) async throws -> [AuditEntry] {
        try await passed().audit(of: app, before: before, limit: limit)
    }
}
