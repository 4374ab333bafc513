import InboxModel
import InboxService

/// Who fetched which body, until it is written: many at once, at most a second later.
struct FetchLog {
    /// What one write takes.
    static let most = 1000

    private var waiting: Set<Fetch> = []
    /// Noted lately: a reader that fetches again costs no write.
    private var known = RecentCache<Fetch, Bool>(limit: 100_000)

    /// When what waits is to be written.
    enum Due {
        /// Nothing new.
        case no
        /// Within a second; others may join.
        case soon
        /// It is all that one write takes.
        case now
    }

    /// Takes in a fetch; says what it is that makes it due: only the first and the last of a write do.
    mutating func note(_ fetch: Fetch) -> Due {
        // Where the store does not answer, what is too much is not counted.
        guard waiting.count < FetchLog.most, known.value(for: fetch) == nil else { return .no }
        waiting.insert(fetch)
        known.insert(true, for: fetch, cost: 1)
        return waiting.count == 1 ? .soon : waiting.count == FetchLog.most ? .now : .no
    }

    /// What waits, which then waits no more.
    mutating func take() -> [Fetch] {
        defer { waiting = [] }
        return Array(waiting)
    }

    /// Puts back what could not be written, as far as there is room.
    mutating func restore(_ fetches: [Fetch]) {
        waiting.formUnion(fetches.prefix(max(0, FetchLog.most - waiting.count)))
    }
}
