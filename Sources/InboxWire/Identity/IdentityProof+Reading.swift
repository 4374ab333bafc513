package import InboxModel
import Platform

extension IdentityProof {
    /// Most Unicode scalars of a token's `jti`.
    package static let maximumIDScalars = 128

    /// Reads a JWT in compact form; nothing of it is proved by that.
    ///
    /// Strict where two readers could differ: no padding, no spare bits, no name twice. Other claims and header members are ignored, a key that the header brings along too.
    package init(compact text: String, limits: Limits) throws(ProofRefusal) {
        guard text.utf8.count <= limits.proofBytes else { throw .tooLong(limitBytes: limits.proofBytes) }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, let signature = Base64URL.decode(parts[2]) else {
            throw .malformed
        }
        let header = try IdentityProof.object(parts[0])
        guard header["crit"] == nil else { throw .critical }
        guard case .string(let name)? = header["alg"], let algorithm = Algorithm(rawValue: name) else {
            throw .otherAlgorithm
        }
        self.init(
            algorithm: algorithm, keyID: try header.text("kid"),
            signedBytes: Array(bytes[..<(parts[2].startIndex - 1)]), signature: signature,
            claims: try Claims(IdentityProof.object(parts[1])))
    }

    /// The JSON object that one part of the token holds.
    private static func object(_ part: ArraySlice<UInt8>) throws(ProofRefusal) -> JSON {
        guard let bytes = Base64URL.decode(part) else { throw .malformed }
        do {
            let value = try JSON.parse(bytes)
            guard case .object = value else { throw ProofRefusal.malformed }
            return value
        } catch {
            throw .malformed
        }
    }
}

extension IdentityProof.Claims {
    fileprivate init(_ json: JSON) throws(ProofRefusal) {
        guard let name = try json.text("sub"), let subject = try? NamedUserID(name) else {
            throw .badValue("sub", mustBe: "a named user")
        }
        let times = (
            issued: try json.requiredTime("iat"), expires: try json.requiredTime("exp"),
            notBefore: try json.time("nbf")
        )
        self.init(
            subject: subject, audience: try json.audience(), times: times, id: try json.proofID(),
            channel: try json.channel())
    }
}

extension JSON {
    /// A member that is a text; nothing if it is absent.
    fileprivate func text(_ name: String) throws(ProofRefusal) -> String? {
        guard let value = self[name] else { return nil }
        guard case .string(let text) = value else { throw .badValue(name, mustBe: "a text") }
        return text
    }

    fileprivate func requiredTime(_ name: String) throws(ProofRefusal) -> Instant {
        guard let time = try time(name) else { throw .badValue(name, mustBe: JSON.timeWording) }
        return time
    }

    /// A member that is a time in seconds, whole or not; nothing if it is absent.
    fileprivate func time(_ name: String) throws(ProofRefusal) -> Instant? {
        guard let value = self[name] else { return nil }
        guard case .number(let number) = value, let seconds = number.double, abs(seconds) < JSON.endOfTime
        else { throw .badValue(name, mustBe: JSON.timeWording) }
        return Instant(rawValue: Int64((seconds * 1_000_000).rounded()))
    }

    private static let timeWording = "a number of seconds since 1970"

    /// The end of the year 9999, beyond which a number is likely one of milliseconds.
    private static let endOfTime = 253_402_300_800.0

    fileprivate func audience() throws(ProofRefusal) -> [String] {
        let expected = "the app key, or an array with it"
        switch self["aud"] {
        case .string(let text)?: return [text]
        case .array(let elements)?:
            var texts: [String] = []
            for element in elements {
                guard case .string(let text) = element else { throw .badValue("aud", mustBe: expected) }
                texts.append(text)
            }
            return texts
        case .null?, .bool?, .number?, .object?, nil: throw .badValue("aud", mustBe: expected)
        }
    }

    fileprivate func proofID() throws(ProofRefusal) -> String? {
        guard let id = try text("jti") else { return nil }
        let limit = IdentityProof.maximumIDScalars
        // PostgreSQL cannot keep U+0000.
        guard (1...limit).contains(id.unicodeScalars.count), !id.utf8.contains(0) else {
            throw .badValue("jti", mustBe: "a text of 1 to \(limit) characters without U+0000")
        }
        return id
    }

    fileprivate func channel() throws(ProofRefusal) -> ChannelID? {
        guard let name = try text("channel_id") else { return nil }
        guard let channel = ChannelID(text: name) else {
            throw .badValue("channel_id", mustBe: "a channel's UUID")
        }
        return channel
    }
}
