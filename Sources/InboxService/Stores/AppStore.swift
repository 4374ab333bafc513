package import InboxModel

/// Apps and what proves who calls; see `InboxStore`.
package protocol AppStore: AnyObject {
    func app(_ key: AppKey) async throws -> AppCredentials?
    /// Whether the store answers now; for readiness.
    func ping() async throws
}
