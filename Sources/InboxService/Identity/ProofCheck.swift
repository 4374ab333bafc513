import Crypto
package import InboxModel
package import Platform

/// What a token is held against.
package struct ProofCheck: Sendable {
    /// How far the clock of whoever signs may be off, either way.
    package static let skewSeconds: Int64 = 60

    package var app: AppKey
    /// The app's valid ones.
    package var keys: [IdentityKey]
    /// The channel that shows the token.
    package var channel: ChannelID?
    /// The database's time.
    package var now: Instant
    package var limits: Limits

    package init(app: AppKey, keys: [IdentityKey], channel: ChannelID?, now: Instant, limits: Limits) {
        self.app = app
        self.keys = keys
        self.channel = channel
        self.now = now
        self.limits = limits
    }

    /// Whether a token proves that the channel's device may log in as `person`.
    ///
    /// Whether another device has shown it before is the store's to say: within the transaction that logs in.
    package func verify(_ proof: IdentityProof, for person: NamedUserID) throws(ProofRefusal) -> VerifiedProof
    {
        try checkSignature(of: proof)
        let claims = proof.claims
        guard claims.audience.contains(where: { AppKey(text: $0) == app }) else { throw .otherApp }
        try checkTimes(of: claims)
        guard claims.subject == person else { throw .otherNamedUser }
        guard claims.channel == nil || claims.channel == channel else { throw .otherChannel }
        return VerifiedProof(
            person: person, id: claims.id, goodUntil: claims.expires.adding(seconds: ProofCheck.skewSeconds))
    }

    private func checkSignature(of proof: IdentityProof) throws(ProofRefusal) {
        let candidates = keys.filter { key in
            key.algorithm == proof.algorithm
                && (proof.keyID.map { $0.utf8.elementsEqual(key.id.utf8) } ?? true)
        }
        guard !candidates.isEmpty else { throw .unknownKey }
        guard candidates.contains(where: { $0.hasSigned(proof) }) else { throw .badSignature }
    }

    private func checkTimes(of claims: IdentityProof.Claims) throws(ProofRefusal) {
        let life = limits.proofLifeSeconds
        guard claims.expires > claims.issued else { throw .noLife }
        guard claims.expires <= claims.issued.adding(seconds: life) else {
            throw .lifeTooLong(limitSeconds: life)
        }
        let skew = ProofCheck.skewSeconds
        guard claims.issued <= now.adding(seconds: skew) else { throw .issuedInFuture }
        guard claims.notBefore.map({ $0 <= now.adding(seconds: skew) }) ?? true else { throw .notYetValid }
        guard now < claims.expires.adding(seconds: skew) else { throw .expired }
    }
}

/// What a token proved.
package struct VerifiedProof: Hashable, Sendable {
    package var person: NamedUserID
    /// Present if the token is for the first device only that shows it.
    package var id: String?
    /// SHA-256 of the id, by which it is kept.
    package var digest: [UInt8]? { id.map { SHA256.digest($0) } }
    /// From here on nobody accepts the token.
    package var goodUntil: Instant

    package init(person: NamedUserID, id: String?, goodUntil: Instant) {
        self.person = person
        self.id = id
        self.goodUntil = goodUntil
    }
}
