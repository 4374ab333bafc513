import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct ProofFormTests {
    let gate = Gate()
    let token = Token()

    @Test func `a proof has at most 4,096 bytes`() {
        for (bytes, refusal) in [(4095, nil), (4096, nil), (4097, .tooLong(limitBytes: 4096))]
            as [(Int, ProofRefusal?)]
        {
            #expect(gate.refusal(of: padded(to: bytes)) == refusal)
        }
        #expect(ProofRefusal.tooLong(limitBytes: 4096).limit == Limit("proof_bytes", 4096))
    }

    @Test func `a proof has exactly three parts`() {
        let parts = token.text.split(separator: ".")
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        let wrong = [
            "", ".", "..", "...", "\(header)", "\(header).\(payload)", ".\(payload).\(signature)",
            "\(header)..\(signature)", "\(header).\(payload).", "\(token.text).", ".\(token.text)",
            "\(token.text).\(signature)", "\(token.text).AAAA.AAAA", "\(header),\(payload),\(signature)",
        ]
        for text in wrong { #expect(gate.refusal(of: text) == .malformed, "\(text)") }
    }

    @Test func `base64url has no padding, no white space and no other alphabet`() {
        let text = token.text
        for wrong in [
            text + "=", " " + text, text + "\n", text.replacing(".", with: "=."),
            text.replacing(".", with: " ."),
            "Bearer " + text, text.replacing(".", with: "\u{2024}"), text + "\u{301}",
        ] {
            #expect(gate.refusal(of: wrong) == .malformed)
        }
        let (plus, slash) = (String(text.dropLast(2)) + "+A", String(text.dropLast(2)) + "/A")
        for wrong in [plus, slash] { #expect(gate.refusal(of: wrong) == .malformed) }
    }

    @Test func `spare bits of the last digit are zero`() {
        // 32 bytes leave two spare bits, so three of four last digits are wrong.
        let text = token.text
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let accepted = digits.filter { gate.refusal(of: String(text.dropLast()) + String($0)) == nil }
        #expect(accepted.count == 1)
        let canonical = digits.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
        for digit in digits {
            let refusal = gate.refusal(of: String(text.dropLast()) + String(digit))
            if !canonical.contains(digit) { #expect(refusal == .malformed) }
        }
    }

    @Test(arguments: [
        "", "null", "[]", "1", "\"alg\"", "{", #"{"alg":"HS256"} x"#, #"{"alg":"HS256",}"#,
        #"{'alg':'HS256'}"#,
        #"{"alg":"none","alg":"HS256"}"#, #"{"alg":"HS256","alg":"HS256"}"#,
        #"{"alg":"HS256","kid":"hs-1","kid":"hs-1"}"#, #"{"alg":"HS256","\u0061lg":"none"}"#,
    ])
    func `a header that is no JSON object, or names a member twice, is refused`(header: String) {
        #expect(gate.refusal(of: token.with(header: header)) == .malformed)
    }

    @Test func `claims that are no JSON object, or name a member twice, are refused`() {
        let plain = #""aud":"AAAAAAAAAAAAAAAAAAAAAA","iat":1764532800,"exp":1764536400"#
        var token = token
        token.payload = #"{"sub":"ana",\#(plain)}"#
        #expect(gate.refusal(of: token) == nil)
        let wrong = [
            "", "null", "[]", "\"x\"", "{", #"{"sub":"ben","sub":"ana",\#(plain)}"#,
            #"{"sub":"ana",\#(plain),"exp":1764536401}"#, #"{"sub":"ana",\#(plain)}{}"#,
            #"{"sub":"ana",\#(plain),"deep":{"a":1,"a":2}}"#, "\u{FEFF}" + #"{"sub":"ana",\#(plain)}"#,
        ]
        for payload in wrong {
            token.payload = payload
            #expect(gate.refusal(of: token) == .malformed)
        }
    }

    @Test func `claims are not searched for within others, and others are ignored`() {
        var token = token
        token.payload =
            #"{"claims":{"sub":"ana","aud":"AAAAAAAAAAAAAAAAAAAAAA","iat":1764532800,"exp":1764536400}}"#
        guard case .badValue? = gate.refusal(of: token) else {
            Issue.record("nested claims were read")
            return
        }
        let levels = 63
        let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        #expect(gate.refusal(of: self.token.with("extra", deep)) == nil)
        #expect(gate.refusal(of: self.token.with("extra", "[\(deep)]")) == .malformed)
        #expect(gate.refusal(of: self.token.with("extra", #"{"sub":"ben","exp":"never"}"#)) == nil)
    }

    @Test func `each refusal says another sentence, and none names a key`() {
        let all: [ProofRefusal] = [
            .missing, .tooLong(limitBytes: 1), .malformed, .otherAlgorithm, .critical,
            .badValue("exp", mustBe: "a number"),
            .unknownKey, .badSignature, .otherNamedUser, .otherApp, .otherChannel, .noLife,
            .lifeTooLong(limitSeconds: 1), .issuedInFuture, .notYetValid, .expired, .used,
        ]
        #expect(Set(all.map(\.reason)).count == all.count)
        for refusal in all {
            #expect(InboxError(refusal) == .forbidden(reason: refusal.reason, limit: refusal.limit))
        }
    }

    /// A good proof of exactly so many bytes.
    private func padded(to bytes: Int) -> String {
        let missing = (bytes - token.text.utf8.count) * 3 / 4
        for filling in max(0, missing - 16)...missing {
            for kid in ["hs-1", "hs-1\",\"x\":\"", "hs-1\",\"x\":\"x", "hs-1\",\"x\":\"xx"] {
                let text = token.with(header: "{\"alg\":\"HS256\",\"kid\":\"\(kid)\"}")
                    .with("pad", "\"\(String(repeating: "x", count: filling))\"").text
                if text.utf8.count == bytes { return text }
            }
        }
        preconditionFailure("a proof can have any length")
    }
}
