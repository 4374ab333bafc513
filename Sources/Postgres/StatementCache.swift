/// Which statements a connection has prepared, and under which names.
///
/// A bounded memory: generated statements would else fill the server's. What is used least recently is
/// dropped.
struct StatementCache {
    /// What to do so that a statement can run.
    struct Entry: Equatable {
        let name: String
        /// Whether it has to be prepared first.
        let isNew: Bool
    }

    private struct Prepared {
        let name: String
        var lastUse: Int
    }

    let capacity: Int
    private var prepared: [SQL.Key: Prepared] = [:]
    private var uses = 0
    private var names = 0
    private var dropped: [String] = []

    /// - Parameter capacity: number of statements; each costs the server some 10 to 100 kB.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The statement's name; a new one counts as prepared from now on.
    mutating func entry(for key: SQL.Key) -> Entry {
        uses += 1
        if let found = prepared[key]?.name {
            prepared[key]?.lastUse = uses
            return Entry(name: found, isNew: false)
        }
        if prepared.count >= capacity { dropOldest() }
        names += 1
        let name = "s\(names)"
        prepared[key] = Prepared(name: name, lastUse: uses)
        return Entry(name: name, isNew: true)
    }

    /// Forgets a statement that the server does not have, or no longer has, under this name.
    mutating func forget(_ key: SQL.Key, name: String) {
        if prepared[key]?.name == name { prepared[key] = nil }
    }

    /// Names to deallocate on the server, handed out once.
    mutating func takeDropped() -> [String] {
        defer { dropped = [] }
        return dropped
    }

    /// Hands a name out again whose deallocation did not happen.
    mutating func dropLater(_ name: String) {
        dropped.append(name)
    }

    // Walks all: rare, and only when statements are generated.
    private mutating func dropOldest() {
        guard let oldest = prepared.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        dropped.append(oldest.value.name)
        prepared[oldest.key] = nil
    }
}
