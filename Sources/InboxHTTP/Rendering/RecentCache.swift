/// Values that were used lately, at most about `limit` of their cost together.
///
/// Two generations: what is found in the older one moves to the newer; when the newer is half full it becomes the
/// older, and what nobody asked for in the meantime is gone. That needs no list of uses.
struct RecentCache<Key: Hashable, Value> {
    private let limit: Int
    private var current: [Key: (value: Value, cost: Int)] = [:]
    private var previous: [Key: (value: Value, cost: Int)] = [:]
    private var currentCost = 0

    init(limit: Int) { self.limit = limit }

    /// The value of a key, which thereby stays.
    mutating func value(for key: Key) -> Value? {
        if let found = current[key] { return found.value }
        guard let found = previous.removeValue(forKey: key) else { return nil }
        insert(found.value, for: key, cost: found.cost)
        return found.value
    }

    /// Keeps a value; the same key's last one is replaced.
    mutating func insert(_ value: Value, for key: Key, cost: Int) {
        if currentCost > limit / 2 {
            previous = current
            current = [:]
            currentCost = 0
        }
        previous.removeValue(forKey: key)
        currentCost += cost - (current[key]?.cost ?? 0)
        current[key] = (value, cost)
    }

    /// Forgets all values.
    mutating func removeAll() { self = RecentCache(limit: limit) }
}
