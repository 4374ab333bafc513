import HTTPCore

/// Addresses whose forwarded headers count: numeric addresses, and IPv4 networks such as `10.0.0.0/8`.
struct TrustedProxies {
    private var addresses: Set<String> = []
    private var networks: [(prefix: UInt32, bits: UInt32)] = []

    /// Entries that are neither are ignored: whoever reads the configuration refuses them.
    init(_ entries: [String]) {
        for entry in entries {
            let parts = entry.split(separator: "/", maxSplits: 1)
            if parts.count == 2, let prefix = TrustedProxies.ipv4(parts[0]), let bits = UInt32(parts[1]),
                bits <= 32
            {
                networks.append((prefix, bits))
            } else {
                addresses.insert(entry.lowercased())
            }
        }
    }

    /// Whether the peer is one of them; an IPv4 address may be written as a mapped IPv6 one.
    func contains(_ peer: String) -> Bool {
        if addresses.isEmpty && networks.isEmpty { return false }
        let peer = peer.hasPrefix("::ffff:") ? String(peer.dropFirst(7)) : peer
        if addresses.contains(peer) { return true }
        guard let address = TrustedProxies.ipv4(peer) else { return false }
        return networks.contains { network in
            network.bits == 0 || (address ^ network.prefix) >> (32 - network.bits) == 0
        }
    }

    /// The address that a request comes from: what the first proxy that is one of these saw, else the peer's.
    ///
    /// What stands before that in the header is the client's own word.
    func client(of request: Request) -> String {
        guard contains(request.peer) else { return request.peer }
        var client = request.peer
        let addresses = request.headers.values(of: "x-forwarded-for").flatMap { $0.split(separator: ",") }
        for address in addresses.reversed() {
            client = address.filter { $0 != " " && $0 != "\t" }
            if !contains(client) { break }
        }
        return client
    }

    /// The number of a dotted IPv4 address.
    static func ipv4(_ text: some StringProtocol) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let byte = UInt8(part) else { return nil }
            address = address << 8 | UInt32(byte)
        }
        return address
    }
}
