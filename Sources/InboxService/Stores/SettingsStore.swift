package import InboxModel

/// What an app's administrators see and change; see `InboxStore`.
package protocol SettingsStore: AnyObject {
    func profile(of app: AppID) async throws -> AppProfile
    /// Changes settings and returns all of them; equal ones raise no revision and are not audited.
    ///
    /// A lower cap takes effect at the next delivery to each inbox, and at the next broadcast.
    func change(_ change: SettingsChange, of app: AppID, by actor: String) async throws -> AppProfile
    /// Whether pages of an origin may read answers in a browser: those of the app that is claimed, or of any app.
    func allows(_ origin: Origin, by claim: AppClaim?) async throws -> Bool
    /// What was done to the app and its people, newest first, at most `limit`, those older than `before`.
    func audit(of app: AppID, before: Int64?, limit: Int) async throws -> [AuditEntry]
}
