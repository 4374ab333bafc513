import InboxModel
import InboxService
import InboxWire
import Platform
import Testing

@Suite struct ProofClaimTests {
    let gate = Gate()
    let token = Token()

    @Test(
        arguments: [
            (-61, .issuedInFuture), (-60, nil), (0, nil), (3659, nil), (3660, .expired), (90_000, .expired),
        ] as [(Int64, ProofRefusal?)])
    func `a proof is good from a minute before it was issued to a minute after it expires`(
        age: Int64, refusal: ProofRefusal?
    ) {
        var gate = gate
        gate.age = age
        #expect(gate.refusal(of: token) == refusal)
    }

    @Test(
        arguments: [
            (1, nil), (86_400, nil), (86_401, .lifeTooLong(limitSeconds: 86_400)), (0, .noLife),
            (-1, .noLife),
        ] as [(Int64, ProofRefusal?)])
    func `a proof lives at least a second and at most a day`(life: Int64, refusal: ProofRefusal?) {
        #expect(gate.refusal(of: token.with("exp", "\(Token.issued + life)")) == refusal)
    }

    @Test func `the longest life of a proof is a setting`() {
        var gate = gate
        gate.limits.proofLifeSeconds = 60
        #expect(gate.refusal(of: token.with("exp", "\(Token.issued + 60)")) == nil)
        let refusal = gate.refusal(of: token.with("exp", "\(Token.issued + 61)"))
        #expect(refusal == .lifeTooLong(limitSeconds: 60))
        #expect(refusal?.limit == Limit("proof_life_seconds", 60))
    }

    @Test(arguments: [(0, nil), (60, nil), (61, .notYetValid), (-86_400, nil)] as [(Int64, ProofRefusal?)])
    func `nbf is honoured, with a minute's tolerance`(later: Int64, refusal: ProofRefusal?) {
        #expect(gate.refusal(of: token.with("nbf", "\(Token.issued + later)")) == refusal)
    }

    @Test func `times may have fractions and exponents`() throws {
        var gate = gate
        let token = token.with("iat", "\(Token.issued).25").with("exp", "\(Token.issued + 1).5")
        gate.age = 61
        #expect(try gate.admit(token).goodUntil == Instant(milliseconds: (Token.issued + 61) * 1000 + 500))
        gate.age = 62
        #expect(gate.refusal(of: token) == .expired)
        gate.age = -59
        #expect(gate.refusal(of: token) == nil)
        gate.age = -60
        #expect(gate.refusal(of: token) == .issuedInFuture)
        #expect(self.gate.refusal(of: self.token.with("iat", "1.7645328e9")) == nil)
    }

    @Test(arguments: ["iat", "exp", "nbf"])
    func `what is no time is refused`(name: String) {
        let values = [
            "null", "true", #""1764532800""#, "[1764532800]", "{}", "1e400", "-1e400", "1e18", "253402300800",
            "-253402300800", "99999999999999999999999999", "\(Token.issued)000",
        ]
        for value in values {
            #expect(
                gate.refusal(of: token.with(name, value))
                    == .badValue(name, mustBe: "a number of seconds since 1970"))
        }
    }

    @Test func `times long ago are times, and prove nothing now`() {
        for value in ["-1", "-0.0", "0", "-253402300799", "1e-400"] {
            #expect(gate.refusal(of: token.with("exp", value)) == .noLife)
            #expect(gate.refusal(of: token.with("iat", value)) == .lifeTooLong(limitSeconds: 86_400))
            #expect(gate.refusal(of: token.with("nbf", value)) == nil)
        }
        #expect(gate.refusal(of: token.with("iat", "-100").with("exp", "-50")) == .expired)
    }

    @Test func `NaN and Infinity are not JSON`() {
        for value in ["NaN", "Infinity", "-Infinity", "0x1", "+1", "01", ".5", "1."] {
            #expect(gate.refusal(of: token.with("exp", value)) == .malformed)
        }
    }

    @Test(arguments: ["iat", "exp", "sub", "aud"])
    func `iat, exp, sub and aud must be there`(name: String) {
        guard case .badValue(let named, _)? = gate.refusal(of: token.with(name, nil)) else {
            Issue.record("a proof without \(name) was not refused for that")
            return
        }
        #expect(named == name)
    }

    @Test(arguments: [
        #""AAAAAAAAAAAAAAAAAAAAAA""#, #"["AAAAAAAAAAAAAAAAAAAAAA"]"#,
        #"["other","AAAAAAAAAAAAAAAAAAAAAA",""]"#,
    ])
    func `aud is the app key, or an array that holds it`(audience: String) {
        #expect(gate.refusal(of: token.with("aud", audience)) == nil)
    }

    @Test(arguments: [
        #""BBBBBBBBBBBBBBBBBBBBBB""#, "[]", #""""#, #"["BBBBBBBBBBBBBBBBBBBBBB"]"#,
        #""aaaaaaaaaaaaaaaaaaaaaa""#,
        #"" AAAAAAAAAAAAAAAAAAAAAA""#, #""AAAAAAAAAAAAAAAAAAAAA""#,
    ])
    func `a proof for another app is refused`(audience: String) {
        #expect(gate.refusal(of: token.with("aud", audience)) == .otherApp)
    }

    @Test(arguments: ["null", "1", "{}", #"[["AAAAAAAAAAAAAAAAAAAAAA"]]"#, #"["AAAAAAAAAAAAAAAAAAAAAA",1]"#])
    func `aud of another kind is refused`(audience: String) {
        let refusal = ProofRefusal.badValue("aud", mustBe: "the app key, or an array with it")
        #expect(gate.refusal(of: token.with("aud", audience)) == refusal)
    }

    @Test func `sub is trimmed and composed as a named user is`() {
        for subject in [#"" ana ""#, #""\u200Bana\uFEFF\n""#] {
            #expect(gate.refusal(of: token.with("sub", subject)) == nil)
        }
        var gate = gate
        gate.person = "caf\u{E9}"
        #expect(gate.refusal(of: token.with("sub", #""cafe\u0301""#)) == nil)
    }

    @Test(arguments: [#""ben""#, #""Ana""#, #""an""#, #""ana.""#, #""a na""#, #""\u0430na""#])
    func `a proof for another named user is refused`(subject: String) {
        #expect(gate.refusal(of: token.with("sub", subject)) == .otherNamedUser)
    }

    @Test func `sub that names nobody is refused`() {
        let tooLong = "\"\(String(repeating: "a", count: 129))\""
        for subject in [#""""#, #""  ""#, "null", "7", #"["ana"]"#, tooLong, #""a\u0000""#] {
            let refusal = gate.refusal(of: token.with("sub", subject))
            guard case .badValue("sub", _)? = refusal else {
                Issue.record("\(subject) was not refused: \(String(describing: refusal))")
                continue
            }
        }
        var gate = gate
        gate.person = String(repeating: "a", count: 128)
        #expect(gate.refusal(of: token.with("sub", "\"\(gate.person)\"")) == nil)
    }

    @Test func `jti has 1 to 128 characters`() throws {
        for count in [1, 127, 128] {
            let id = String(repeating: "\u{1F512}", count: count)
            #expect(try gate.admit(token.with("jti", "\"\(id)\"")).id == id)
        }
        let expected = "a text of 1 to 128 characters without U+0000"
        for id in ["", String(repeating: "x", count: 129), "a\\u0000"] {
            #expect(gate.refusal(of: token.with("jti", "\"\(id)\"")) == .badValue("jti", mustBe: expected))
        }
        for value in ["null", "7"] {
            #expect(gate.refusal(of: token.with("jti", value)) == .badValue("jti", mustBe: "a text"))
        }
    }

    @Test func `a proof with channel_id is for that channel only`() {
        let own = "00112233-4455-6677-8899-AABBCCDDEEFF"
        #expect(gate.refusal(of: token.with("channel_id", "\"\(own)\"")) == nil)
        #expect(gate.refusal(of: token.with("channel_id", "\"\(own.lowercased())\"")) == nil)
        let other = "10112233-4455-6677-8899-aabbccddeeff"
        #expect(gate.refusal(of: token.with("channel_id", "\"\(other)\"")) == .otherChannel)
        for value in [#""""#, #""x""#] {
            let refusal = ProofRefusal.badValue("channel_id", mustBe: "a channel's UUID")
            #expect(gate.refusal(of: token.with("channel_id", value)) == refusal)
        }
        #expect(
            gate.refusal(of: token.with("channel_id", "null")) == .badValue("channel_id", mustBe: "a text"))
    }
}
