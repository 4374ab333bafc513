package import Crypto
package import InboxModel
package import InboxService

/// What every shard of a process is told at its start.
package struct ShardConfiguration: Sendable {
    /// The absolute URL under which clients reach this server, base path included; then no header decides.
    package var publicURL: String?
    /// What stands before every path, such as `/mc`; requests without it are answered too, since a proxy may cut it off.
    package var basePath = ""
    /// Names of this server, with or without a port, that a `Host` header may carry; loopback always may.
    package var allowedHosts: Set<String> = []
    /// Whether `Host` may carry any numeric address: for a server that listens on every address of its machine, which
    /// need not be those under which other machines reach it.
    package var allowsAddresses = false
    /// Addresses, or IPv4 networks like `10.0.0.0/8`, whose `X-Forwarded-*` headers count.
    package var trustedProxies: [String] = []
    package var limits = Limits()
    /// Limits that are kept before a request gets here, to be described with the others.
    package var edgeLimits: [Limit] = []
    /// The installation's key.
    package var key: SecretKey
    /// The program's version, for `/version`.
    package var version: String
    package var caches = CacheLimits()
    package var streams = StreamPace()
    /// Of the process, for all its shards.
    package var streamCounts = StreamCounts()
    /// Of the process, for all its shards; nothing is without limits.
    package var rates: RequestRates?
    /// What changes, as the stores of the process tell it.
    package var hints = Hints()
    /// Called after the commit of a send that is delivered in the background.
    package var fanOutBegan: @Sendable () -> Void = {}
    /// Takes one line for the log: faults with their reference, never secrets.
    package var log: @Sendable (String) -> Void = { _ in }

    package init(key: SecretKey, version: String) {
        self.key = key
        self.version = version
    }
}

/// Most bytes of the caches of one shard, content alone; what was not used lately goes first.
package struct CacheLimits: Hashable, Sendable {
    /// Rendered messages, about 700 bytes each: the live messages of a busy app.
    package var fragmentBytes = 64 * 1024 * 1024
    /// Rendered lists, about 20 kB each: devices that refresh again within minutes of a change.
    package var viewBytes = 64 * 1024 * 1024
    /// Bodies: those of the last sends, which all devices ask for at the same time.
    package var bodyBytes = 32 * 1024 * 1024
    /// Apps whose log of broadcasts is kept.
    package var apps = 1000

    package init() {}
}
