import Foundation

extension InboxParts {
    /// Opens the store in the configured folder.
    ///
    /// - Throws: `InboxClientError.storeUnusable`.
    static func openStore(_ configuration: InboxConfiguration) throws(InboxClientError) -> any LocalStore {
        do {
            // Others of the device have no business here: the file holds what opens the inbox.
            try FileManager.default.createDirectory(
                at: configuration.folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            return MemoryStore()
        } catch {
            throw .storeUnusable("\(error)")
        }
    }
}
