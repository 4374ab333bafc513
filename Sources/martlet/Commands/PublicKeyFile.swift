import Crypto
import Foundation

/// A file with a public key that an operator gives.
enum PublicKeyFile {
    /// Reads a key; reports what the file holds instead.
    static func read(_ path: String, _ arguments: inout Arguments) -> P256PublicKey? {
        let contents: Data
        do {
            contents = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            arguments.report("--public-key-file \(path) cannot be read")
            return nil
        }
        do throws(PublicKeyError) {
            guard let text = String(data: contents, encoding: .utf8), text.contains("-----") else {
                return try P256PublicKey(der: Array(contents))
            }
            return try P256PublicKey(pem: text)
        } catch {
            arguments.report("--public-key-file \(path) \(reason(error, path))")
            return nil
        }
    }

    private static func reason(_ error: PublicKeyError, _ path: String) -> String {
        switch error {
        case .privateKey:
            "holds a private key, which belongs to your backend alone; its public half is made by "
                + "`openssl ec -in \(path) -pubout -out public.pem`"
        case .notPublicKey: "does not hold a public key that begins with -----BEGIN PUBLIC KEY-----"
        case .malformed: "holds no whole public key"
        case .otherAlgorithm: "holds a key of another algorithm; \(recipe)"
        case .otherCurve: "holds a key of another curve than P-256, or one whose curve has no name; \(recipe)"
        }
    }

    private static let recipe =
        "a pair for ES256 is made by `openssl ecparam -name prime256v1 -genkey -noout -out private.pem`"
}
