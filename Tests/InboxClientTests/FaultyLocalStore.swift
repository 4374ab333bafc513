import InboxClient
import Platform

/// A store that fails when the test says so.
final class FaultyLocalStore: LocalStore {
    private let inner: any LocalStore
    private let state = Lock((isBroken: false, deeds: [String]()))

    struct DiskFull: Error {}

    init(_ inner: any LocalStore = MemoryStore()) { self.inner = inner }

    var isBroken: Bool {
        get { state.withLock { $0.isBroken } }
        set { state.withLock { $0.isBroken = newValue } }
    }

    var deeds: [String] { state.withLock { $0.deeds } }

    func load() throws -> StoredInbox { try inner.load() }

    func loadIfChanged() throws -> StoredInbox? { try inner.loadIfChanged() }

    func save(_ changes: [StoreChange]) throws {
        try note("save")
        try inner.save(changes)
    }

    func replace(_ inbox: StoredInbox) throws {
        try note("replace")
        try inner.replace(inbox)
    }

    func close() {}

    private func note(_ deed: String) throws {
        let isBroken = state.withLock { state in
            state.deeds.append(deed)
            return state.isBroken
        }
        if isBroken { throw DiskFull() }
    }
}
