import InboxModel
import Platform

/// Keeps an inbox for as long as the process lives.
package final class MemoryStore: LocalStore {
    private let kept: Lock<StoredInbox?>

    package init(_ inbox: StoredInbox = StoredInbox()) { kept = Lock(inbox) }

    package func load() throws -> StoredInbox {
        try kept.withLock { kept in
            guard let kept else { throw StoreError.closed }
            return kept
        }
    }

    package func save(_ changes: [StoreChange]) throws {
        try kept.withLock { kept in
            guard var inbox = kept else { throw StoreError.closed }
            for change in changes { inbox.apply(change) }
            kept = inbox
        }
    }

    package func replace(_ inbox: StoredInbox) throws {
        try kept.withLock { kept in
            guard kept != nil else { throw StoreError.closed }
            kept = inbox
        }
    }

    package func close() { kept.withLock { $0 = nil } }
}
