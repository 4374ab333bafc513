import Crypto
import InboxModel
import InboxService
import InboxWire
import Platform

/// A JWT for tests, signed with HS256 unless told otherwise.
struct Token {
    static let app = "AAAAAAAAAAAAAAAAAAAAAA"
    static let issued: Int64 = 1_764_532_800
    static let secret = [UInt8](repeating: 7, count: 32)
    static let hs256 = IdentityKey(id: "hs-1", material: .hs256(secret: secret))

    /// Members of the header, as JSON.
    var header = #"{"alg":"HS256","kid":"hs-1"}"#
    /// Values of the claims, as JSON.
    var claims = [
        "sub": #""ana""#, "aud": "\"\(app)\"", "iat": "\(issued)", "exp": "\(issued + 3600)",
    ]
    /// Instead of `claims`.
    var payload: String?
    var secret = Token.secret

    func with(_ name: String, _ value: String?) -> Token {
        var token = self
        token.claims[name] = value
        return token
    }

    func with(header: String) -> Token {
        var token = self
        token.header = header
        return token
    }

    var text: String {
        let members = claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        let payload = payload ?? "{\(members.joined(separator: ","))}"
        let signed = [header, payload].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        let code = HMACSHA256.code(key: secret, message: Array(signed.utf8))
        return "\(signed).\(Base64URL.encode(code))"
    }
}

/// Reads and checks tokens as a server does at `now`.
struct Gate {
    var keys = [Token.hs256]
    /// Seconds since the token was issued.
    var age: Int64 = 0
    var person = "ana"
    var channel = "00112233-4455-6677-8899-aabbccddeeff"
    var limits = Limits()

    @discardableResult func admit(_ token: Token) throws(ProofRefusal) -> VerifiedProof {
        try admit(token.text)
    }

    @discardableResult func admit(_ text: String) throws(ProofRefusal) -> VerifiedProof {
        let proof = try IdentityProof(compact: text, limits: limits)
        guard let app = AppKey(text: Token.app) else { preconditionFailure("a key of 22 characters") }
        let check = ProofCheck(
            app: app, keys: keys, channel: ChannelID(text: channel),
            now: Instant(seconds: Token.issued + age), limits: limits)
        return try check.verify(proof, for: NamedUserID(stored: person))
    }

    func refusal(of token: Token) -> ProofRefusal? { refusal(of: token.text) }

    func refusal(of text: String) -> ProofRefusal? {
        do {
            try admit(text)
            return nil
        } catch {
            return error
        }
    }
}
