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
            // An app's key makes a file's name; each app has an inbox of its own.
            let file = configuration.folder.appendingPathComponent("inbox-\(configuration.appKey).sqlite")
            return try SQLiteStore(path: file.path)
        } catch {
            throw .storeUnusable("\(error)")
        }
    }
}
