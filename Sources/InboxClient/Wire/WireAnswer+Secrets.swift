import ClientCore
import InboxModel

extension WireAnswer {
    /// The same without these texts in what it tells people: whoever is between may repeat what it was sent.
    func hiding(_ secrets: [String]) -> WireAnswer {
        guard case .failed(let problem) = outcome else { return self }
        let text = secrets.reduce(problem.text) { $0.replacing($1, with: "…") }
        return WireAnswer(
            .failed(SyncProblem(problem.kind, text, retryAfter: problem.retryAfter)), serverTime: serverTime)
    }
}

extension WireEnd {
    /// What is sent with a call, and opens an inbox or logs somebody in.
    func secrets(of call: SyncCall, as installation: Installation) -> [String] {
        var secrets = [app.secret, app.authorization, installation.secret]
        if let credential = installation.credential {
            secrets += [credential.password, credential.authorization]
        }
        if case .logIn(let login) = call, let proof = login.proof { secrets.append(proof) }
        return secrets.filter { !$0.isEmpty }
    }
}

/// A value for a query: all but letters, digits and `-._~` escaped.
func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    var encoded = ""
    for byte in text.utf8 {
        let scalar = Unicode.Scalar(byte)
        if scalar.isASCII,
            scalar.properties.isAlphabetic || (48...57).contains(byte) || "-._~".utf8.contains(byte)
        {
            encoded.unicodeScalars.append(scalar)
        } else {
            encoded.unicodeScalars += ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return encoded
}
