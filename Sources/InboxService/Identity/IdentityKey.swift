package import Crypto
package import InboxModel

/// A key of an app's backend, which signs whom the app's devices log in as.
package struct IdentityKey: Sendable {
    /// What signatures are checked with: of one algorithm only, so that no token can choose another for it.
    package enum Material: Sendable {
        case hs256(secret: [UInt8])
        case es256(P256PublicKey)
    }

    /// What tokens call it in `kid`.
    package var id: String
    package var material: Material

    package init(id: String, material: Material) {
        self.id = id
        self.material = material
    }

    package var algorithm: IdentityProof.Algorithm {
        switch material {
        case .hs256: .hs256
        case .es256: .es256
        }
    }

    /// Whether a token of this key's algorithm is signed with it.
    func hasSigned(_ proof: IdentityProof) -> Bool {
        switch material {
        case .hs256(let secret):
            constantTimeEquals(HMACSHA256.code(key: secret, message: proof.signedBytes), proof.signature)
        case .es256(let key): key.verify(proof.signature, of: proof.signedBytes)
        }
    }
}
