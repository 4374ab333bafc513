internal import CSodium

/// Randomness that nobody can guess, from the system.
package enum RandomBytes {
    /// Characters of a generated key or secret: 132 bits, the only form that published clients accept.
    package static let tokenCharacters = 22

    package static func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0, "a count of bytes is never negative")
        Sodium.makeReady()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    /// 22 characters of `[A-Za-z0-9_-]`, for keys, secrets and passwords.
    package static func token22() -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        // 64 digits divide 256 evenly, so the low six bits of a byte are as fair as the byte.
        let text = bytes(tokenCharacters).map { digits[Int($0 & 0x3F)] }
        return String(decoding: text, as: UTF8.self)
    }

    package static func uint64() -> UInt64 {
        bytes(MemoryLayout<UInt64>.size).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
