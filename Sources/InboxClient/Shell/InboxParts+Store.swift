import Foundation

extension InboxParts {
    /// Opens the store in the configured folder.
    ///
    /// - Throws: `InboxClientError.storeUnusable`.
    static func openStore(_ configuration: InboxConfiguration) throws -> any LocalStore {
        MemoryStore()
    }
}
