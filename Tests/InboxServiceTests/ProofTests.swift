import Crypto
import InboxModel
import InboxService
import Platform
import Testing

@Suite struct ProofTests {
    let gate = Gate()
    let token = Token()

    @Test func `a proof says whom it is for, and until when it is good`() throws {
        let proof = try gate.admit(token)
        #expect(proof.person.text == "ana")
        #expect(proof.id == nil)
        #expect(proof.goodUntil == Instant(seconds: Token.issued + 3660))
        #expect(try gate.admit(token.with("jti", #""once""#)).id == "once")
    }

    @Test func `a proof may be signed with the private half of an ES256 key`() throws {
        let key = try P256PublicKey(pem: Token.es256PEM)
        let gate = Gate(keys: [Token.hs256, IdentityKey(id: "es-1", material: .es256(key))])
        #expect(try gate.admit(Token.es256Signed).person.text == "ana")
        let other = Gate(keys: [IdentityKey(id: "es-2", material: .es256(key))])
        #expect(other.refusal(of: Token.es256Signed) == .unknownKey)
        // The same signature as DER.
        #expect(gate.refusal(of: Token.es256SignedInDER) == .badSignature)
        #expect(
            gate.refusal(of: String(Token.es256Signed.dropLast(86)) + token.text.suffix(43)) == .badSignature)
    }

    @Test func `the public half of an ES256 key is never a secret of HS256`() throws {
        let key = try P256PublicKey(pem: Token.es256PEM)
        let gate = Gate(keys: [IdentityKey(id: "es-1", material: .es256(key))])
        for secret in [
            Array(Token.es256PEM.utf8), key.der, Array(key.der.suffix(65)), Array(key.der.suffix(64)),
        ] {
            for header in [#"{"alg":"HS256","kid":"es-1"}"#, #"{"alg":"HS256"}"#] {
                var token = token.with(header: header)
                token.secret = secret
                #expect(gate.refusal(of: token) == .unknownKey)
            }
            var token = token.with(header: #"{"alg":"ES256","kid":"es-1"}"#)
            token.secret = secret
            #expect(gate.refusal(of: token) == .badSignature)
        }
    }

    @Test(arguments: [
        "none", "None", "NONE", "", "hs256", "HS384", "HS512", "RS256", "ES384", "ES256K", "EdDSA", "PS256",
        "HS256 ",
        "HS256\\u0000",
    ])
    func `a proof that is signed in another way, or not at all, is refused`(name: String) {
        let token = token.with(header: #"{"alg":"\#(name)","kid":"hs-1"}"#)
        #expect(gate.refusal(of: token) == .otherAlgorithm)
        let bare = token.text.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(gate.refusal(of: bare + ".") == .malformed)
    }

    @Test(arguments: [#"{"kid":"hs-1"}"#, #"{"alg":null}"#, #"{"alg":["HS256"]}"#, "{}"])
    func `a proof without alg is refused`(header: String) {
        #expect(gate.refusal(of: token.with(header: header)) == .otherAlgorithm)
    }

    @Test func `without kid every valid key of the alg is tried`() {
        let old = IdentityKey(id: "hs-0", material: .hs256(secret: [UInt8](repeating: 6, count: 32)))
        let nameless = token.with(header: #"{"typ":"JWT","alg":"HS256"}"#)
        for keys in [[old, Token.hs256], [Token.hs256, old]] {
            #expect(Gate(keys: keys).refusal(of: nameless) == nil)
            #expect(Gate(keys: keys).refusal(of: token) == nil)
        }
        #expect(Gate(keys: [old]).refusal(of: nameless) == .badSignature)
        #expect(Gate(keys: [old]).refusal(of: token) == .unknownKey)
        #expect(Gate(keys: []).refusal(of: nameless) == .unknownKey)
    }

    @Test func `a kid names one key, and only that is tried`() {
        let other = IdentityKey(id: "hs-2", material: .hs256(secret: [UInt8](repeating: 6, count: 32)))
        let gate = Gate(keys: [Token.hs256, other])
        #expect(gate.refusal(of: token.with(header: #"{"alg":"HS256","kid":"hs-2"}"#)) == .badSignature)
        for name in ["hs-3", "", "HS-1", "hs-1 ", "hs-1\\u0000"] {
            #expect(gate.refusal(of: token.with(header: #"{"alg":"HS256","kid":"\#(name)"}"#)) == .unknownKey)
        }
        for value in ["null", "1", #"["hs-1"]"#] {
            let token = token.with(header: #"{"alg":"HS256","kid":\#(value)}"#)
            #expect(gate.refusal(of: token) == .badValue("kid", mustBe: "a text"))
        }
    }

    @Test func `a key that the header brings along counts for nothing`() {
        var forged = token.with(
            header: #"{"alg":"HS256","jwk":{"kty":"oct","k":"AAAA"},"jku":"https://example.com/keys"}"#)
        forged.secret = [0, 0, 0]
        #expect(gate.refusal(of: forged) == .badSignature)
    }

    @Test(arguments: [#"["exp"]"#, "[]", "null", #"["b64"],"b64":false"#])
    func `a header with crit is refused`(value: String) {
        #expect(gate.refusal(of: token.with(header: #"{"alg":"HS256","crit":\#(value)}"#)) == .critical)
    }

    @Test func `each changed character of a proof is noticed`() {
        let text = Array(token.text)
        for index in text.indices where text[index] != "." {
            var changed = text
            changed[index] = changed[index] == "A" ? "Q" : "A"
            guard changed != text else { continue }
            #expect(gate.refusal(of: String(changed)) != nil)
        }
    }

    @Test func `a signature of another length is none`() {
        let text = token.text
        #expect(gate.refusal(of: text + "AAAA") == .badSignature)
        #expect(gate.refusal(of: String(text.dropLast(43)) + "AAAA") == .badSignature)
    }
}

extension Token {
    /// The key of RFC 7515, A.3.
    static let es256PEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----
        """

    private static let es256Input = """
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImVzLTEifQ.eyJzdWIiOiJhbmEiLCJhdWQiOiJBQUFBQUFBQUFBQUFBQUFBQUFBQUFBI\
        iwiaWF0IjoxNzY0NTMyODAwLCJleHAiOjE3NjQ1MzY0MDB9
        """

    /// The claims of a plain `Token`, signed by that key under the kid `es-1`.
    static let es256Signed =
        "\(es256Input)._6U8LEfcodBmj5PF4SwdCcNnfiJaHt07Qy0ztlYi_wIUu5IGYVnih8pSVaPpW3HvizexzR9ooyk_93ueAiQ2Lg"

    static let es256SignedInDER = """
        \(es256Input).MEUCIQCdo4zqz00zR386mL0gFfXudDkX4b86nEoxxcaNKPRRcgIgRzfd0e4l5HwJcU07EIZXl9PWakkRORJp4\
        cL9DmpX7q4
        """
}
