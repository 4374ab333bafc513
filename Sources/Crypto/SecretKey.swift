internal import CSodium

/// A key of 32 bytes: the installation's, which lives in a file outside the database, or one derived from it.
package struct SecretKey: Sendable, CustomStringConvertible {
    /// Bytes of a key.
    package static let keyBytes = 32

    private static let nonceBytes = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    private static let authenticatorBytes = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

    private let bytes: [UInt8]

    /// Nothing unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == SecretKey.keyBytes else { return nil }
        Sodium.makeReady()
        self.bytes = bytes
    }

    /// Reads what a key file holds: 32 bytes in base64, with or without a newline at the end.
    package init?(file contents: [UInt8]) {
        guard let bytes = Base64.decode(contents[...]) else { return nil }
        self.init(bytes: bytes)
    }

    /// A new key and the text of the file that will hold it.
    package static func generate() -> (key: SecretKey, file: String) {
        let bytes = RandomBytes.bytes(keyBytes)
        guard let key = SecretKey(bytes: bytes) else {
            preconditionFailure("RandomBytes gives what it is asked for")
        }
        return (key, Base64.encode(bytes) + "\n")
    }

    /// Never the key.
    package var description: String { "SecretKey" }

    /// A key for one purpose, of which nothing leads back to this one or to those of other purposes.
    package func derive(_ purpose: String) -> SecretKey { SecretKey(unchecked: tag(Array(purpose.utf8))) }

    /// `plain` encrypted and authenticated (XChaCha20-Poly1305), a random nonce in front: 40 bytes longer.
    package func seal(_ plain: [UInt8]) -> [UInt8] {
        let nonce = RandomBytes.bytes(SecretKey.nonceBytes)
        var sealed = [UInt8](repeating: 0, count: plain.count + SecretKey.authenticatorBytes)
        crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, nil, plain, UInt64(plain.count), nil, 0, nil, nonce, bytes)
        return nonce + sealed
    }

    /// What was sealed; nothing if this is not the key, or a bit has changed.
    package func open(_ sealed: [UInt8]) -> [UInt8]? {
        let plainBytes = sealed.count - SecretKey.nonceBytes - SecretKey.authenticatorBytes
        guard plainBytes >= 0 else { return nil }
        let nonce = Array(sealed[..<SecretKey.nonceBytes])
        let box = Array(sealed[SecretKey.nonceBytes...])
        var plain = [UInt8](repeating: 0, count: plainBytes)
        let outcome = crypto_aead_xchacha20poly1305_ietf_decrypt(
            &plain, nil, nil, box, UInt64(box.count), nil, 0, nonce, bytes)
        return outcome == 0 ? plain : nil
    }

    /// 32 bytes that only this key gives for `message` (keyed BLAKE2b).
    package func tag(_ message: [UInt8]) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: SecretKey.keyBytes)
        crypto_generichash(&tag, tag.count, message, UInt64(message.count), bytes, bytes.count)
        return tag
    }

    /// Whether `tag` is this key's for `message`; takes constant time.
    package func verify(_ tag: [UInt8], of message: [UInt8]) -> Bool {
        constantTimeEquals(tag, self.tag(message))
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}
