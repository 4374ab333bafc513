/// Where an inbox is kept on its device, so that it outlives the app's process.
package protocol LocalStore: Sendable {
    /// All that is kept.
    func load() throws -> StoredInbox
    /// Keeps changes, all of them or none; they are durable on return.
    func save(_ changes: [StoreChange]) throws
    /// Keeps this in place of all that was kept.
    func replace(_ inbox: StoredInbox) throws
    /// Nothing more is asked of it.
    func close()
}
