package import Crypto
package import InboxModel

/// What is to be stored of a secret that was just made.
package struct NewSecret: Sendable {
    package var kind: AppCredentials.Secret.Kind
    /// SHA-256 of the secret.
    package var digest: [UInt8]
    /// See `AppCredentials.Secret`.
    package var sealed: [UInt8]
    /// What a token is good for; nothing for others.
    package var scopes: Set<TokenScope> = []
    /// For people.
    package var name: String?
    /// How long it is good; nil is until it is revoked.
    package var life: Duration?

    private init(_ kind: AppCredentials.Secret.Kind, digest: [UInt8], sealed: [UInt8]) {
        self.kind = kind
        self.digest = digest
        self.sealed = sealed
    }

    /// Makes an app's secret that nobody can guess: its text, to be shown once, and what is stored of it.
    ///
    /// `key` is the installation's.
    package static func app(under key: SecretKey) -> (text: String, stored: NewSecret) {
        let text = RandomBytes.token22()
        let sealed = key.derive(AppCredentials.Secret.appPurpose).seal(Array(text.utf8))
        return (text, NewSecret(.app, digest: SHA256.digest(text), sealed: sealed))
    }

    /// Makes a master secret.
    package static func master() -> (text: String, stored: NewSecret) {
        let text = RandomBytes.token22()
        return (text, NewSecret(.master, digest: SHA256.digest(text), sealed: []))
    }

    /// Makes a backend's token.
    package static func token(for scopes: Set<TokenScope>) -> (text: String, stored: NewSecret) {
        let text = RandomBytes.token22()
        var secret = NewSecret(.token, digest: SHA256.digest(text), sealed: [])
        secret.scopes = scopes
        return (text, secret)
    }

    /// Makes a key of HS256; the text is the key's bytes in base64url.
    package static func hs256(of app: AppID, under key: SecretKey) -> (text: String, stored: NewSecret) {
        let bytes = RandomBytes.bytes(hs256Bytes)
        return (Base64URL.encode(bytes), identityKey(.hs256, bytes, of: app, under: key))
    }

    /// What is stored of a key of ES256, which its owner made.
    package static func es256(_ publicKey: P256PublicKey, of app: AppID, under key: SecretKey) -> NewSecret {
        identityKey(.es256, publicKey.der, of: app, under: key)
    }

    /// As many as the code has.
    private static let hs256Bytes = 32

    private static func identityKey(
        _ kind: AppCredentials.Secret.Kind, _ material: [UInt8], of app: AppID, under key: SecretKey
    ) -> NewSecret {
        let purpose = AppCredentials.Secret.identityPurpose(kind, app)
        return NewSecret(kind, digest: SHA256.digest(material), sealed: key.derive(purpose).seal(material))
    }
}

extension AppCredentials.Secret {
    /// An app secret itself; nothing if it was not sealed, or under another installation's key.
    package func reveal(under key: SecretKey) -> String? {
        key.derive(Self.appPurpose).open(sealed).map { String(decoding: $0, as: UTF8.self) }
    }

    static let appPurpose = "app secrets"

    /// Another for each kind and app: a row that somebody copies or changes in the database opens nothing.
    static func identityPurpose(_ kind: Kind, _ app: AppID) -> String {
        "identity key \(kind.word) of app \(app.rawValue)"
    }
}

extension AppCredentials {
    /// The keys that the app's backend signs with; what was not sealed here for this is none.
    package func identityKeys(under key: SecretKey) throws(PublicKeyError) -> [IdentityKey] {
        var keys: [IdentityKey] = []
        for secret in secrets where secret.kind == .hs256 || secret.kind == .es256 {
            let purpose = Secret.identityPurpose(secret.kind, app)
            guard let bytes = key.derive(purpose).open(secret.sealed) else { continue }
            let material: IdentityKey.Material =
                secret.kind == .hs256 ? .hs256(secret: bytes) : .es256(try P256PublicKey(der: bytes))
            keys.append(IdentityKey(id: secret.id.text, material: material))
        }
        return keys
    }
}
