internal import CSodium

/// libsodium, made ready once; whoever calls it asks here first.
enum Sodium {
    private static let isReady: Bool = {
        // 1 means that someone was first; -1 that the system gives no randomness, without which nothing here is safe.
        precondition(sodium_init() >= 0, "sodium_init")
        return true
    }()

    static func makeReady() { _ = isReady }
}
