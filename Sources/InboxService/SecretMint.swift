package import Crypto

extension AppCredentials.Secret {
    /// Makes a secret that nobody can guess: its text, to be shown once, and what is stored of it.
    ///
    /// `key` is the installation's.
    package static func mint(_ kind: Kind, under key: SecretKey) -> (text: String, stored: Self) {
        let text = RandomBytes.token22()
        let bytes = Array(text.utf8)
        let sealed = kind == .app ? key.derive(purpose).seal(bytes) : []
        return (text, Self(kind: kind, digest: SHA256.digest(bytes), sealed: sealed))
    }

    /// The secret itself; nothing if it was not sealed, or under another installation's key.
    package func reveal(under key: SecretKey) -> String? {
        key.derive(Self.purpose).open(sealed).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let purpose = "app secrets"
}
