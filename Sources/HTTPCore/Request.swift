/// An HTTP request with its whole body.
package struct Request: Sendable, Equatable {
    package var method: Method
    /// Path and query as they were sent; an absolute form has lost its scheme and authority.
    package var target: String
    /// The path without its query, percent-encoding intact.
    package var path: String
    /// What follows the first `?`, as it was sent.
    package var query: String?
    package var headers: Headers
    package var body: [UInt8]
    /// The numeric address of the other end, without its port; empty in tests.
    package var peer: String

    /// A request for `target`, which is split at its first `?`.
    package init(
        _ method: Method, _ target: String, headers: Headers = Headers(), body: [UInt8] = [],
        peer: String = ""
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.peer = peer
        if let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) {
            path = String(target[..<mark])
            query = String(target[target.utf8.index(after: mark)...])
        } else {
            path = target
        }
    }

    /// The decoded values of a parameter of the query, in order; `+` is a blank, a name without `=` has the value "".
    ///
    /// A `%` that starts no escape stands for itself, and bytes that are no UTF-8 show as U+FFFD.
    package func queryValues(_ name: String) -> [String] {
        queryPairs.filter { $0.name == name }.map(\.value)
    }

    /// All parameters of the query, decoded in the same way, in order.
    package var queryPairs: [(name: String, value: String)] {
        guard let query else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { formDecoded(pair[pair.index(after: $0)...]) }
            return (formDecoded(pair[..<(equals ?? pair.endIndex)]), value ?? "")
        }
    }
}

/// Text of a query, decoded as far as its escapes are right.
private func formDecoded(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "+") {
            bytes.append(UInt8(ascii: " "))
        } else if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexValue),
            let low = rest.dropFirst().first.flatMap(hexValue)
        {
            bytes.append(high << 4 | low)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// The value of a hexadecimal digit.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
