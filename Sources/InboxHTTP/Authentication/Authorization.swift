import Crypto
import HTTPCore

/// What an `Authorization` header claims.
enum Authorization {
    /// Name and SHA-256 of the password, which may hold colons.
    case basic(name: ArraySlice<UInt8>, passwordDigest: [UInt8])
    case bearer(String)

    /// Nothing if there is no such header, or none of these two forms.
    init?(_ request: Request) {
        guard let field = request.headers["authorization"] else { return nil }
        if let rest = Authorization.credentials(in: field, scheme: "basic") {
            guard let decoded = Base64.decode(rest), let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
            else {
                return nil
            }
            self = .basic(
                name: decoded[..<colon], passwordDigest: SHA256.digest(decoded[(colon + 1)...]))
        } else if let rest = Authorization.credentials(in: field, scheme: "bearer") {
            self = .bearer(String(rest))
        } else {
            return nil
        }
    }

    /// What stands behind the scheme's name, in any case, and the blanks after it; a trailing newline is cut off.
    private static func credentials(in field: String, scheme: StaticString) -> Substring? {
        let name = field.utf8.prefix(scheme.utf8CodeUnitCount)
        guard name.elementsEqual(scheme.description.utf8, by: { $0 | 0x20 == $1 }) else { return nil }
        let rest = field[name.endIndex...].drop { $0 == " " }
        guard rest.startIndex != name.endIndex else { return nil }
        return rest.last?.isNewline == true ? rest.dropLast() : rest
    }
}
