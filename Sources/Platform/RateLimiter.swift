/// How often something may happen for each of many keys: a bucket of tokens for each key, refilled at one rate.
///
/// A bucket is kept as the time at which it will be full again; one that is full needs no keeping. So a key costs about
/// 40 bytes for as long as it has used something up.
package struct RateLimiter: Sendable {
    private struct Bucket {
        let key: UInt64
        /// Nanoseconds of uptime.
        var fullAt: Int64
    }

    /// Nanoseconds until one token comes back.
    private let interval: Int64
    /// How far a bucket's time may lie ahead: a whole burst.
    private let horizon: Int64
    private let most: Int
    private var buckets: [Bucket] = []
    /// Where a key's bucket is.
    private var places: [UInt64: Int32] = [:]
    /// The bucket that is looked at next, for whether it may be forgotten.
    private var hand = 0

    /// Full buckets for all keys.
    ///
    /// - Parameters:
    ///   - perSecond: tokens that come back in a second, for each key; above 0.
    ///   - burst: tokens of a full bucket, at least 1.
    ///   - most: keys that are remembered; beyond it the fullest of some are forgotten, and may use a whole burst again.
    package init(rate perSecond: Double, burst: Int, keys most: Int) {
        precondition(perSecond > 0 && burst >= 1 && most >= 1 && most < Int32.max, "limits are positive")
        interval = max(1, Int64((1e9 / perSecond).rounded()))
        let (horizon, isTooMuch) = interval.multipliedReportingOverflow(by: Int64(burst))
        precondition(!isTooMuch, "a full burst comes back within 292 years")
        self.horizon = horizon
        self.most = most
    }

    /// Keys that are remembered now.
    package var keys: Int { buckets.count }

    /// Takes a token of the key's bucket; if there is none, returns how long to wait for the next, and takes nothing.
    ///
    /// - Parameters:
    ///   - key: what is limited, or its hash: keys of one value share a bucket.
    ///   - uptime: the present, by a clock that never goes back.
    /// - Complexity: O(1), amortised over the growth of memory.
    package mutating func take(_ key: UInt64, at uptime: Duration) -> Duration? {
        let now = nanoseconds(uptime)
        let place = places[key].map(Int.init)
        let fullAt = max(place.map { buckets[$0].fullAt } ?? now, now) + interval
        guard fullAt - now <= horizon else { return .nanoseconds(fullAt - now - horizon) }
        if let place {
            buckets[place].fullAt = fullAt
        } else {
            makeRoom(at: now)
            places[key] = Int32(buckets.count)
            buckets.append(Bucket(key: key, fullAt: fullAt))
        }
        return nil
    }

    /// How long to wait for the key's next token, without taking it; nothing if there is one.
    package func wait(_ key: UInt64, at uptime: Duration) -> Duration? {
        guard let place = places[key] else { return nil }
        let now = nanoseconds(uptime)
        let fullAt = max(buckets[Int(place)].fullAt, now) + interval
        return fullAt - now > horizon ? .nanoseconds(fullAt - now - horizon) : nil
    }

    /// Forgets what is full again, some buckets for each that comes, and one in any case if there are too many.
    private mutating func makeRoom(at now: Int64) {
        for _ in 0..<2 where !buckets.isEmpty {
            if hand >= buckets.count { hand = 0 }
            // The last one takes its place, and is looked at next.
            if buckets[hand].fullAt <= now { forget(hand) } else { hand += 1 }
        }
        guard buckets.count >= most else { return }
        var fullest = hand % buckets.count
        for step in 1..<8 {
            let candidate = (hand + step) % buckets.count
            if buckets[candidate].fullAt < buckets[fullest].fullAt { fullest = candidate }
        }
        forget(fullest)
        hand += 8
    }

    private mutating func forget(_ place: Int) {
        places[buckets[place].key] = nil
        let last = buckets.removeLast()
        guard place < buckets.count else { return }
        buckets[place] = last
        places[last.key] = Int32(place)
    }

    private func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
