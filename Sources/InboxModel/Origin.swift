/// Where a page in a browser comes from, as its `Origin` header says: `https://shop.example`.
///
/// Compared by bytes, so there is one spelling: lower case, a port only where it is not the scheme's own, no path.
package struct Origin: Hashable, Sendable {
    /// As browsers send it.
    package let text: String

    /// Longest origin: a host name has at most 253 bytes.
    package static let maximumBytes = 300

    /// - Throws: `InboxError.invalid` naming `field`, if no browser sends this.
    package init(_ raw: String, field: String) throws(InboxError) {
        let text = raw.lowercased()
        guard text.utf8.count <= Origin.maximumBytes else {
            throw .invalid(
                field: field, reason: "is longer than \(Origin.maximumBytes) bytes",
                limit: Limit("origin_bytes", Origin.maximumBytes))
        }
        guard let colon = text.firstRange(of: "://"), Origin.isScheme(text[..<colon.lowerBound]),
            Origin.isAuthority(text[colon.upperBound...])
        else {
            throw .invalid(
                field: field, reason: "must be an origin such as https://shop.example, without a path")
        }
        guard
            !["http": ":80", "https": ":443"].contains(where: {
                text.hasPrefix($0 + ":") && text.hasSuffix($1)
            })
        else {
            throw .invalid(field: field, reason: "must not name the scheme's own port: browsers leave it out")
        }
        self.text = text
    }

    /// An origin that was checked when it was stored.
    package init(stored text: String) { self.text = text }

    private static func isScheme(_ text: Substring) -> Bool {
        text.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
            && text.utf8.allSatisfy { isLetterOrDigit($0) || "+-.".utf8.contains($0) }
    }

    /// A host, international names in their ASCII form, and perhaps a port.
    private static func isAuthority(_ text: Substring) -> Bool {
        let end = text.lastIndex(of: "]").map { text.index(after: $0) } ?? text.startIndex
        let colon = text[end...].firstIndex(of: ":") ?? text.endIndex
        let host = text[..<colon]
        let isName = host.utf8.allSatisfy { isLetterOrDigit($0) || "-._".utf8.contains($0) }
        let isAddress =
            host.hasPrefix("[") && host.hasSuffix("]")
            && host.dropFirst().dropLast().utf8.allSatisfy { isLetterOrDigit($0) || ":.".utf8.contains($0) }
        guard !host.isEmpty, isName || isAddress else { return false }
        guard colon < text.endIndex else { return true }
        let port = text[text.index(after: colon)...]
        return port.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && UInt16(port).map { "\($0)" == port } ?? false
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
