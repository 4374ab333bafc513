/// Where the server listens.
struct ListenAddress: Equatable, Sendable {
    /// A numeric address or `localhost`; an IPv6 address stands without its brackets.
    let host: String
    /// Zero lets the system pick one.
    let port: UInt16

    /// What holds when nothing is said: this machine alone.
    static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, `[ADDRESS]:PORT` or `:PORT`, which is every address of this machine.
    init(_ text: String) throws(Unreadable) {
        let unreadable = Unreadable("must be HOST:PORT, such as 127.0.0.1:8080 or [::]:8080")
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw unreadable
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw unreadable
        }
        self.init(host: host.isEmpty ? "0.0.0.0" : String(host), port: port)
    }

    /// Whether it stands for all addresses of this machine.
    var isEveryAddress: Bool { ["0.0.0.0", "::"].contains(host) }

    /// `http://HOST:PORT`.
    func url(port: UInt16) -> String {
        host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }
}
