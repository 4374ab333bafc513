/// Who can carry a request to a server: `HTTPClient` here, `URLSession` in apps and the command line.
package protocol Transport: Sendable {
    /// Sends the request and returns the answer, whatever its status.
    ///
    /// - Throws: when no whole answer came; whether the server has acted is unknown then.
    func send(_ request: Request, to base: BaseURL) async throws -> Response
}

/// Where a server is reached: `http://127.0.0.1:8080` or `https://inbox.example.com/base`.
package struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    package let isSecure: Bool
    /// A name or a numeric address; an IPv6 address stands without its brackets.
    package let host: String
    package let port: UInt16
    /// What stands before each path, without a slash at its end: "" or "/base".
    package let pathPrefix: String

    package init(isSecure: Bool = false, host: String, port: UInt16, pathPrefix: String = "") {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.pathPrefix = pathPrefix
    }

    /// A base in its usual spelling; `nil` if it is not `http` or `https`, or has user, query or fragment.
    package init?(_ text: String) {
        guard let colon = text.firstRange(of: "://") else { return nil }
        let isSecure: Bool
        switch text[..<colon.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let rest = text[colon.upperBound...]
        guard !rest.contains(where: { "?#@ ".contains($0) }) else { return nil }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        guard let (host, port) = hostAndPort(rest[..<slash]), !host.isEmpty else { return nil }
        var prefix = rest[slash...]
        while prefix.hasSuffix("/") { prefix.removeLast() }
        self.init(
            isSecure: isSecure, host: String(host), port: port ?? (isSecure ? 443 : 80),
            pathPrefix: String(prefix))
    }

    /// Host and port as a `Host` field has them: the port only where it is not the scheme's own.
    package var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    package var description: String {
        "\(isSecure ? "https" : "http")://\(authority)\(pathPrefix)"
    }
}

/// The parts of `host`, `host:port` or `[address]:port`.
private func hostAndPort(_ text: Substring) -> (Substring, UInt16?)? {
    var (host, port) = (text, Substring())
    if text.hasPrefix("[") {
        guard let end = text.firstIndex(of: "]") else { return nil }
        host = text[text.index(after: text.startIndex)..<end]
        port = text[text.index(after: end)...]
    } else if let colon = text.firstIndex(of: ":") {
        (host, port) = (text[..<colon], text[colon...])
    }
    if port.isEmpty { return (host, nil) }
    guard port.hasPrefix(":"), let number = UInt16(port.dropFirst()) else { return nil }
    return (host, number)
}
