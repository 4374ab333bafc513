import Foundation
import HTTPCore
import HTTPServer

/// What `martlet serve` was told, read once.
struct ServeConfiguration: Sendable {
    let database: DatabaseChoice
    let listen: ListenAddress
    /// Threads, each with its own connections to PostgreSQL.
    let loops: Int
    let publicURL: String?
    let basePath: String
    let allowedHosts: [String]
    let trustedProxies: [String]
    let migrates: Bool
    /// How long requests in flight may take after SIGTERM.
    let drainWithin: Duration
    var limits: ServerLimits

    /// What `init` reads.
    static var options: [Option] {
        [.data, .database, .secretKeyFile, .listen, .publicURL, .basePath, .allowedHost, .trustedProxy]
            + [.loops, .noMigrate, .drainSeconds] + ServerLimits.settings.map(\.option)
    }

    /// - Throws: `CommandFailure.usage` with all problems.
    init(_ arguments: inout Arguments, requiringKey: Bool = true) throws(CommandFailure) {
        let database = DatabaseChoice(&arguments)
        if requiringKey, case .server(_, keyFile: nil) = database {
            arguments.report(
                "--secret-key-file (or MARTLET_SECRET_KEY_FILE) is missing: with --database it is required; make "
                    + "one, once, for all servers: (umask 077; head -c 32 /dev/urandom | base64 > secret.key)"
            )
        }
        listen = arguments.value(.listen, ListenAddress.init) ?? .standard
        publicURL = arguments.value(.publicURL, ServeConfiguration.readPublicURL)
        basePath = arguments.value(.basePath, ServeConfiguration.readBasePath) ?? ""
        allowedHosts = arguments.texts(.allowedHost)
        trustedProxies = arguments.texts(.trustedProxy)
        loops = arguments.value(.loops, Values.wholeNumber(1...256)) ?? ServeConfiguration.standardLoops
        migrates = !arguments.isOn(.noMigrate)
        drainWithin = .seconds(arguments.value(.drainSeconds, Values.wholeNumber(0...3600)) ?? 30)
        var limits = ServerLimits()
        for setting in ServerLimits.settings { setting.read(&arguments, &limits) }
        limits.http.uncountedAddresses.formUnion(trustedProxies)
        self.limits = limits
        try arguments.finish()
        guard let database else { preconditionFailure("DatabaseChoice reports why there is none") }
        self.database = database
    }

    /// Half the cores: PostgreSQL needs the other half.
    private static var standardLoops: Int { max(1, ProcessInfo.processInfo.activeProcessorCount / 2) }

    private static func readPublicURL(_ text: String) throws(Unreadable) -> String {
        guard let url = BaseURL(text) else {
            throw Unreadable(
                "must be an absolute http or https URL without query, such as https://inbox.example.com")
        }
        return url.description
    }

    private static func readBasePath(_ text: String) throws(Unreadable) -> String {
        let path = text.trimming { $0 == "/" }
        let isPlain = path.utf8.allSatisfy { byte in
            UInt8(ascii: "!")...UInt8(ascii: "~") ~= byte && !"?#%\\\"<>".utf8.contains(byte)
        }
        guard isPlain else { throw Unreadable("must be a path such as /inbox") }
        return path.isEmpty ? "" : "/\(path)"
    }
}

extension Option {
    fileprivate static let listen = Option(
        "listen", "HOST:PORT", "where to listen; port 0 picks one", fallback: "127.0.0.1:8080",
        variable: "MARTLET_LISTEN")
    fileprivate static let publicURL = Option(
        "public-url", "URL", "under which clients reach the server, for absolute URLs in answers",
        variable: "MARTLET_PUBLIC_URL")
    fileprivate static let basePath = Option(
        "base-path", "PATH", "what stands before every path, such as /inbox", variable: "MARTLET_BASE_PATH")
    fileprivate static let allowedHost = Option(
        "allowed-host", "NAME", "a name of this server that clients may use in Host; loopback always may",
        variable: "MARTLET_ALLOWED_HOST", also: [.repeated])
    fileprivate static let trustedProxy = Option(
        "trusted-proxy", "ADDRESS", "address or network (10.0.0.0/8) whose X-Forwarded headers count",
        variable: "MARTLET_TRUSTED_PROXY", also: [.repeated])
    fileprivate static let loops = Option(
        "loops", "N", "threads that serve", fallback: "half the cores, at least one",
        variable: "MARTLET_LOOPS")
    fileprivate static let noMigrate = Option(
        switch: "no-migrate", "refuse to start on an older schema instead of migrating it",
        variable: "MARTLET_NO_MIGRATE")
    fileprivate static let drainSeconds = Option(
        "drain-seconds", "N", "time for requests in flight after SIGTERM", fallback: "30",
        variable: "MARTLET_DRAIN_SECONDS")
}
