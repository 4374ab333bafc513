internal import HTTPCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The target in a request's first line.
enum Target {
    /// The target in origin form (`/path?query`, or `*`), and the authority if it came in absolute form.
    static func read(
        _ uri: UnsafePointer<CChar>, _ method: Method
    ) throws(Refusal) -> (target: String, authority: String?) {
        let raw = bytes(uri)
        guard raw.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "#") }) else {
            throw .bad("The target has a character that must be escaped.")
        }
        guard let text = String(validating: raw, as: UTF8.self) else {
            throw .bad("The target is no UTF-8.")
        }
        if text.utf8.first == UInt8(ascii: "/") { return (text, nil) }
        if text == "*" {
            guard method == .options else { throw .bad("Only OPTIONS may ask about the server as a whole.") }
            return (text, nil)
        }
        guard let (authority, rest) = splitAbsolute(text) else {
            throw .bad("The target is neither a path nor an absolute address.")
        }
        return (rest.utf8.first == UInt8(ascii: "/") ? rest : "/" + rest, authority)
    }

    /// The authority and the rest of `http://authority/path?query`; `nil` for other schemes and for user names.
    private static func splitAbsolute(_ text: String) -> (authority: String, rest: String)? {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let end = text[mark.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        let authority = text[mark.upperBound..<end]
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        return (String(authority), String(text[end...]))
    }
}

/// The bytes of a C string, without its NUL.
func bytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    let count = strlen(text)
    return UnsafeBufferPointer(
        start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: count)
}

/// Whether the bytes are a lower-case word, without regard to their own ASCII case.
func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count {
        let byte = bytes[index]
        guard (byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) == word.utf8Start[index] else {
            return false
        }
    }
    return true
}

/// Whether the bytes are a token of RFC 9110: letters, digits and ``!#$%&'*+-.^_`|~``, at least one.
func isToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // One bit for each ASCII character.
    let low: UInt64 = 0x03ff_6cfa_0000_0000
    let high: UInt64 = 0x57ff_ffff_c7ff_fffe
    for byte in bytes {
        guard byte < 128, (byte < 64 ? low >> byte : high >> (byte & 63)) & 1 == 1 else { return false }
    }
    return !bytes.isEmpty
}

/// Whether there is no control character but tabs.
func isText(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var isBad = false
    for byte in bytes {
        isBad = isBad || (byte < 0x20 && byte != 0x09) || byte == 0x7f
    }
    return !isBad
}

/// Whether a list of words, parted by commas, has the word `close`.
func listHasClose(_ list: UnsafeBufferPointer<UInt8>) -> Bool {
    list.split(separator: UInt8(ascii: ",")).contains { part in
        let word = part.drop { $0 == 0x20 || $0 == 0x09 }
        let end = word.lastIndex { $0 != 0x20 && $0 != 0x09 }
        guard let end else { return false }
        return equal(UnsafeBufferPointer(rebasing: list[word.startIndex...end]), "close")
    }
}
