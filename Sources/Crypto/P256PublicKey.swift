internal import COpenSSL

/// Why bytes are no public key that signatures can be checked with.
package enum PublicKeyError: Error, Hashable, Sendable {
    /// The text is not PEM, or of something else than a public key, such as a certificate.
    case notPublicKey
    /// A private key, which its owner should show nobody.
    case privateKey
    /// Cut off, changed, or no point of the curve.
    case malformed
    /// RSA, Ed25519 and so on.
    case otherAlgorithm
    /// Another curve than P-256, or one that is written out instead of named.
    case otherCurve
}

/// A public key of ECDSA over P-256, for signatures of ES256 (RFC 7518, section 3.4).
package final class P256PublicKey: @unchecked Sendable {
    // libcrypto only reads a key that is made, and counts its references atomically.
    private let key: OpaquePointer

    /// Bytes of a signature: r and s, 32 bytes each.
    package static let signatureBytes = Int(MARTLET_P256_SIGNATURE_BYTES)

    /// Reads a key from `PUBLIC KEY` in PEM, with nothing before or after it but white space.
    package convenience init(pem text: String) throws(PublicKeyError) {
        try self.init(der: P256PublicKey.der(inPEM: text))
    }

    /// Reads a key from a SubjectPublicKeyInfo in DER, with the point compressed or not.
    package init(der: [UInt8]) throws(PublicKeyError) {
        var read: OpaquePointer?
        let outcome = Int(martlet_p256_read(der, der.count, &read))
        guard outcome == MARTLET_KEY_READ, let read else {
            switch outcome {
            case MARTLET_KEY_OTHER_ALGORITHM: throw .otherAlgorithm
            case MARTLET_KEY_OTHER_CURVE: throw .otherCurve
            default: throw .malformed
            }
        }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    /// The key as a SubjectPublicKeyInfo in DER.
    package var der: [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = martlet_p256_write(key, &bytes)
        precondition(count > 0, "a key that was read can be written")
        defer { martlet_p256_free_der(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// Whether `signature` (r and s, not DER) is this key's of `message`.
    ///
    /// Both values of s that exist for a signature count, as the standard says: whoever counts uses must not count by signature.
    package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == P256PublicKey.signatureBytes else { return false }
        return martlet_p256_verify(key, signature, message, message.count) == 1
    }

    private static func der(inPEM text: String) throws(PublicKeyError) -> [UInt8] {
        guard !text.contains("PRIVATE KEY-----") else { throw .privateKey }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.starts(with: ["-----BEGIN", "PUBLIC", "KEY-----"]) else { throw .notPublicKey }
        guard words.count > 6, words.suffix(3).elementsEqual(["-----END", "PUBLIC", "KEY-----"]),
            let der = Base64.decode(words.dropFirst(3).dropLast(3).joined())
        else { throw .malformed }
        return der
    }
}
