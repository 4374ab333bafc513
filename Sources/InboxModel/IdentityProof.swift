package import Platform

/// What a token says of who logs in, before anything of it is believed: a signed JWT (RFC 7515, RFC 7519).
package struct IdentityProof: Hashable, Sendable {
    /// How a token may be signed; others are refused when it is read.
    package enum Algorithm: String, Sendable {
        /// HMAC with SHA-256 and a secret that the app's backend shares.
        case hs256 = "HS256"
        /// ECDSA over P-256 with SHA-256 and a private key that only the app's backend has.
        case es256 = "ES256"
    }

    /// What the token claims.
    package struct Claims: Hashable, Sendable {
        package var subject: NamedUserID
        /// Whom the token is for, as it stands there: app keys.
        package var audience: [String]
        package var issued: Instant
        package var expires: Instant
        package var notBefore: Instant?
        /// Present if the token is for the first device only that shows it.
        package var id: String?
        /// Present if the token is for this channel only.
        package var channel: ChannelID?

        package init(
            subject: NamedUserID, audience: [String],
            times: (issued: Instant, expires: Instant, notBefore: Instant?), id: String?, channel: ChannelID?
        ) {
            self.subject = subject
            self.audience = audience
            issued = times.issued
            expires = times.expires
            notBefore = times.notBefore
            self.id = id
            self.channel = channel
        }
    }

    package var algorithm: Algorithm
    /// The id of the key it says it is signed with.
    package var keyID: String?
    package var signedBytes: [UInt8]
    package var signature: [UInt8]
    package var claims: Claims

    package init(
        algorithm: Algorithm, keyID: String?, signedBytes: [UInt8], signature: [UInt8], claims: Claims
    ) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.signedBytes = signedBytes
        self.signature = signature
        self.claims = claims
    }
}

/// Which rule a token broke; none says which keys there are.
package enum ProofRefusal: Error, Hashable, Sendable {
    /// There is none, although the app asks for one.
    case missing
    case tooLong(limitBytes: Int)
    /// Not three parts of base64url with JSON objects in the first two.
    case malformed
    /// Signed in another way, or not at all.
    case otherAlgorithm
    /// The header demands what nobody here understands.
    case critical
    /// A value of header or claims is absent or not what it must be; its name and what it must be.
    case badValue(String, mustBe: String)
    case unknownKey
    case badSignature
    case otherNamedUser
    case otherApp
    case otherChannel
    case noLife
    case lifeTooLong(limitSeconds: Int64)
    case issuedInFuture
    case notYetValid
    case expired
    /// Another device has shown it before.
    case used

    /// What a developer is told.
    package var reason: String {
        switch self {
        case .missing:
            "this app verifies named users: show a proof signed by its backend, or let that associate the channel"
        case .tooLong: "the proof is too long"
        case .malformed: "the proof is not a JWT of three parts, each in base64url without padding"
        case .otherAlgorithm: "the proof's alg must be HS256 or ES256"
        case .critical: "the proof's header has crit, of which nothing is supported"
        case .badValue(let name, let expected): "the proof's \(name) must be \(expected)"
        case .unknownKey: "the app has no valid key of the proof's alg and kid"
        case .badSignature: "the proof's signature is not that of a valid key of the app"
        case .otherNamedUser: "the proof's sub is another named user"
        case .otherApp: "the proof's aud is not this app's key"
        case .otherChannel: "the proof's channel_id is another channel"
        case .noLife: "the proof's exp must be later than its iat"
        case .lifeTooLong: "there is too much time between the proof's iat and exp"
        case .issuedInFuture: "the proof's iat is in the future"
        case .notYetValid: "the proof's nbf is in the future"
        case .expired: "the proof has expired"
        case .used: "the proof was shown by another device before"
        }
    }

    /// The bound that the token broke, if it broke one.
    package var limit: Limit? {
        switch self {
        case .tooLong(let bytes): Limit("proof_bytes", bytes)
        case .lifeTooLong(let seconds): Limit("proof_life_seconds", Int(seconds))
        case .missing, .malformed, .otherAlgorithm, .critical, .badValue, .unknownKey, .badSignature,
            .otherNamedUser,
            .otherApp, .otherChannel, .noLife, .issuedInFuture, .notYetValid, .expired, .used:
            nil
        }
    }
}

extension InboxError {
    /// A log-in that its proof does not allow.
    package init(_ refusal: ProofRefusal) {
        self = .forbidden(reason: refusal.reason, limit: refusal.limit)
    }
}
