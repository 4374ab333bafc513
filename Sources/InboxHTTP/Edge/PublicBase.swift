import Crypto
import HTTPCore

/// An absolute URL before every path, and what stands for it in validators and cache keys.
package struct PublicBase: Hashable, Sendable {
    /// Without a slash at its end.
    package let text: String
    /// The first eight bytes of the text's SHA-256.
    package let hash: UInt64

    package init(_ text: String) {
        self.text = text
        hash = SHA256.digest(text).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Decides under which URL a caller reached this server.
///
/// The configured public URL; else what a trusted proxy forwards; else `Host`, if it is one of the allowed names.
struct PublicBases {
    private let fixed: PublicBase?
    private let basePath: String
    private let allowedHosts: Set<String>
    private let allowsAddresses: Bool
    private let proxies: TrustedProxies
    /// Decided before, by what the headers said.
    private var known: [String: PublicBase] = [:]

    /// Different spellings that are remembered; beyond, all are forgotten and decided again.
    private static let knownLimit = 256

    init(_ configuration: ShardConfiguration) {
        basePath = PublicBases.withoutSlash(configuration.basePath)
        fixed = configuration.publicURL.map { PublicBase(PublicBases.withoutSlash($0)) }
        allowedHosts = Set(configuration.allowedHosts.map { $0.lowercased() })
        allowsAddresses = configuration.allowsAddresses
        proxies = TrustedProxies(configuration.trustedProxies)
    }

    /// The path behind the base path, if it stands there.
    func localPath(_ path: String) -> String {
        guard !basePath.isEmpty, path.hasPrefix(basePath) else { return path }
        let rest = path.dropFirst(basePath.count)
        return rest.isEmpty ? "/" : rest.hasPrefix("/") ? String(rest) : path
    }

    /// The address that a request comes from.
    func client(of request: Request) -> String { proxies.client(of: request) }

    /// The base of a request; nothing if it is needed and the host is not one of ours.
    mutating func base(of request: Request, isNeeded: Bool) -> PublicBase? {
        if let fixed { return fixed }
        let isProxied = proxies.contains(request.peer)
        let forwardedHost = isProxied ? PublicBases.last(request.headers["x-forwarded-host"]) : nil
        let scheme = (isProxied ? PublicBases.last(request.headers["x-forwarded-proto"]) : nil) ?? "http"
        let prefix = (isProxied ? request.headers["x-forwarded-prefix"] : nil) ?? basePath
        let host = forwardedHost ?? request.headers["host"] ?? ""
        let spelling = isProxied ? "\(scheme)|\(host)|\(prefix)" : host
        if let base = known[spelling] { return base }
        guard forwardedHost.map(PublicBases.isHost) ?? isAllowed(host), scheme == "http" || scheme == "https"
        else {
            return isNeeded ? nil : PublicBase("")
        }
        let base = PublicBase("\(scheme)://\(host.lowercased())\(PublicBases.withoutSlash(prefix))")
        if known.count >= PublicBases.knownLimit { known.removeAll() }
        known[spelling] = base
        return base
    }

    private func isAllowed(_ host: String) -> Bool {
        let host = host.lowercased()
        guard PublicBases.isHost(host) else { return false }
        let name = PublicBases.name(of: host)
        return allowedHosts.contains(host) || allowedHosts.contains(name) || PublicBases.isLoopback(name)
            || allowsAddresses && PublicBases.isAddress(name)
    }

    private static func isLoopback(_ name: String) -> Bool {
        name == "localhost" || name == "[::1]" || (name.hasPrefix("127.") && TrustedProxies.ipv4(name) != nil)
    }

    private static func isAddress(_ name: String) -> Bool {
        TrustedProxies.ipv4(name) != nil || (name.hasPrefix("[") && name.hasSuffix("]"))
    }

    /// The host without its port.
    private static func name(of host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return host }
        return String(host[..<colon])
    }

    /// Whether the text can stand in a URL as host and port.
    private static func isHost(_ text: String) -> Bool {
        let port = text.dropFirst(name(of: text).count + 1)
        return !text.isEmpty && text.utf8.count <= 255
            && text.utf8.allSatisfy { byte in
                isLetterOrDigit(byte) || ".-_:[]".utf8.contains(byte)
            }
            && port.utf8.allSatisfy { (0x30...0x39).contains($0) } && (port.isEmpty || UInt16(port) != nil)
    }

    /// What the proxy nearest to this server put there, where several stand.
    private static func last(_ field: String?) -> String? {
        field?.split(separator: ",").last.map { part in
            String(part.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
        }
    }

    private static func withoutSlash(_ text: String) -> String {
        var text = text[...]
        while text.hasSuffix("/") { text.removeLast() }
        return String(text)
    }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
}
