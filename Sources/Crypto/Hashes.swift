internal import CSodium

/// SHA-256: for secrets of ours, which are random, and for identities of content.
package enum SHA256 {
    /// Bytes of a digest.
    package static let digestBytes = Int(crypto_hash_sha256_BYTES)

    /// The 32 bytes of the digest.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] { digest(bytes[...]) }

    /// The digest of a part of an array, without a copy of it.
    package static func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: digestBytes)
        bytes.withUnsafeBufferPointer { input in
            _ = crypto_hash_sha256(&digest, input.baseAddress, UInt64(input.count))
        }
        return digest
    }

    /// The digest of a text's UTF-8.
    package static func digest(_ text: String) -> [UInt8] { digest(Array(text.utf8)) }
}

/// HMAC with SHA-256, with keys of any length: what published SDKs sign with.
package enum HMACSHA256 {
    /// The 32 bytes of the code.
    package static func code(key: [UInt8], message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code
    }
}

/// Whether two byte strings are equal, in a time that depends on their length only.
///
/// - Note: The length is not hidden: digests and codes have one length.
package func constantTimeEquals(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && sodium_memcmp(one, other, one.count) == 0
}
