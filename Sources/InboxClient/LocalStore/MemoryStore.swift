import Platform

/// A store that lasts as long as it is held, for tests and simulated devices.
package final class MemoryStore: LocalStore {
    private let inbox: Lock<StoredInbox>

    package init(_ inbox: StoredInbox = StoredInbox()) { self.inbox = Lock(inbox) }

    package func load() throws -> StoredInbox { inbox.withLock { $0 } }

    package func save(_ changes: [StoreChange]) throws {
        inbox.withLock { inbox in for change in changes { inbox.apply(change) } }
    }

    package func replace(_ inbox: StoredInbox) throws { self.inbox.withLock { $0 = inbox } }

    package func close() {}
}
