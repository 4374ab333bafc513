/// How long the server has been away, counted from the first request that failed after the last that did not.
struct Outage: Sendable {
    private(set) var since: Duration?
    private(set) var count = 0
    private(set) var longest = Duration.zero

    /// A request failed; true if the server was away for longer than `limit`.
    mutating func failed(at now: Duration, limit: Duration) -> Bool {
        guard let since else {
            since = now
            count += 1
            return false
        }
        longest = max(longest, now - since)
        return now - since > limit
    }

    /// A request was answered.
    mutating func ended(at now: Duration) {
        guard let since else { return }
        longest = max(longest, now - since)
        self.since = nil
    }
}
