package import InboxModel

/// Apps and what proves who calls; see `InboxStore`.
package protocol AppStore: AnyObject {
    func app(_ key: AppKey) async throws -> AppCredentials?
    func app(_ app: AppID) async throws -> AppCredentials?
    /// The token of a backend, valid now, by its SHA-256.
    func backendToken(_ digest: [UInt8]) async throws -> BackendToken?
    /// Whether the store answers now; for readiness.
    func ping() async throws
}
