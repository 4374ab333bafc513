import InboxModel
import InboxWire
import Platform

/// How often callers may call; 0 is without a limit.
package struct RateLimits: Hashable, Sendable {
    /// Requests a second of one device or session.
    package var requestsPerCredential = 20
    /// Requests at once of one that was quiet.
    package var credentialBurst = 100
    /// Requests a second of an app's backends together.
    package var requestsPerApp = 1000
    /// A minute, from one address.
    package var failedLoginsPerAddress = 1000

    package init() {}
}

/// Counts requests and failed logins, for all loops of a process together.
///
/// Requests are counted once their credential is proved, so that nobody uses up another's; failed logins count for the
/// address that they come from, never for the credential that they name.
package final class RequestRates: Sendable {
    private let limits: RateLimits
    private let credentials: Lock<RateLimiter>?
    private let apps: Lock<RateLimiter>?
    private let failures: Lock<RateLimiter>?
    private let uptime: @Sendable () -> Duration

    /// - Parameter uptime: a clock that never goes back.
    package init(_ limits: RateLimits, uptime: @escaping @Sendable () -> Duration) {
        self.limits = limits
        self.uptime = uptime
        func limiter(_ count: Int, each seconds: Double, burst: Int, keys: Int) -> Lock<RateLimiter>? {
            guard count > 0 else { return nil }
            return Lock(RateLimiter(rate: Double(count) / seconds, burst: burst, keys: keys))
        }
        credentials = limiter(
            limits.requestsPerCredential, each: 1, burst: max(1, limits.credentialBurst), keys: 200_000)
        apps = limiter(limits.requestsPerApp, each: 1, burst: limits.requestsPerApp, keys: 10_000)
        failures = limiter(
            limits.failedLoginsPerAddress, each: 60, burst: limits.failedLoginsPerAddress, keys: 100_000)
    }

    /// Counts a request of a device's user or a session.
    func count(_ user: UserID) throws(WireError) {
        try take(RequestRates.key(user), perCredential)
    }

    /// Counts a request of a device that proved itself by a token for its channel.
    func count(_ channel: ChannelID, of app: AppID) throws(WireError) {
        struct Device: Hashable {
            let channel: ChannelID
            let app: AppID
        }
        try take(RequestRates.key(Device(channel: channel, app: app)), perCredential)
    }

    /// Counts a request of one of an app's backends.
    func count(_ app: AppID) throws(WireError) {
        let limit = Limit("requests_per_app", limits.requestsPerApp)
        try take(
            RequestRates.key(app),
            (apps, limit, "the backends of this app ask more often than \(limit.value) times a second"))
    }

    /// Counts a failed login.
    func countFailure(from address: String) {
        let now = uptime()
        failures?.withLock { _ = $0.take(RequestRates.key(address), at: now) }
    }

    /// Refuses an address from which too many logins have failed lately.
    func admit(_ address: String) throws(WireError) {
        guard let failures else { return }
        let now = uptime()
        guard let wait = failures.withLock({ $0.wait(RequestRates.key(address), at: now) }) else { return }
        let limit = Limit("failed_logins_per_address", limits.failedLoginsPerAddress)
        throw .rateLimited(
            "more than \(limit.value) logins a minute have failed from this address", limit: limit,
            retryAfter: RequestRates.seconds(wait))
    }

    private typealias Rate = (limiter: Lock<RateLimiter>?, limit: Limit, reason: String)

    private var perCredential: Rate {
        let limit = Limit("requests_per_credential", limits.requestsPerCredential)
        return (credentials, limit, "this credential asks more often than \(limit.value) times a second")
    }

    private func take(_ key: UInt64, _ rate: Rate) throws(WireError) {
        guard let limiter = rate.limiter else { return }
        let now = uptime()
        guard let wait = limiter.withLock({ $0.take(key, at: now) }) else { return }
        throw .rateLimited(rate.reason, limit: rate.limit, retryAfter: RequestRates.seconds(wait))
    }

    /// Two that share a key share a bucket: of 2^64, and seeded by the process, so that nobody can choose to.
    private static func key(_ caller: some Hashable) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(caller)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// Whole seconds in which the wait is over.
    private static func seconds(_ wait: Duration) -> Int {
        let (seconds, attoseconds) = wait.components
        return Int(seconds) + (attoseconds > 0 ? 1 : 0)
    }
}
