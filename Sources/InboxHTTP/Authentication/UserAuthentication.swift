import Crypto
import HTTPCore
import InboxModel
package import InboxService

extension Shard {
    /// The credential of an inbox user, proved by Basic `user_id:password`; its one look-up also says the view's state.
    ///
    /// - Parameter user: the user that the path names, who must be the caller; nil where it names none.
    /// - Throws: `InboxError.unauthorized`, the same for an unknown user and a wrong password.
    package func user(_ call: Call, named user: String? = nil) async throws -> Credential {
        guard case .basic(let name, let digest)? = Authorization(call.request),
            // An id has one spelling, so the texts are equal exactly when the users are.
            user.map({ $0.utf8.elementsEqual(name) }) ?? true, let id = UserID(text: name)
        else { throw InboxError.unauthorized }
        return try await credential(of: id, provenBy: digest, isSession: false)
    }

    /// The credential of a device's user, or of a session that is proved by `Bearer` with its token.
    ///
    /// A header that names an app must name the reader's; it costs a look-up.
    package func reader(_ call: Call) async throws -> Credential {
        let credential = try await provenReader(call)
        if call.namedAppKey != nil {
            let app = try await namedApp(call).app
            guard app == credential.reader.user.app else { throw InboxError.unauthorized }
        }
        return credential
    }

    private func provenReader(_ call: Call) async throws -> Credential {
        guard case .bearer(let text)? = Authorization(call.request) else { return try await user(call) }
        guard let token = SessionToken(text: text) else { throw InboxError.unauthorized }
        return try await credential(of: token.user, provenBy: token.secretDigest, isSession: true)
    }

    /// The credential of a device's user, where a session may not stand in for it.
    ///
    /// - Throws: `InboxError.forbidden` for a session.
    package func device(_ call: Call) async throws -> Credential {
        let credential = try await reader(call)
        guard !credential.reader.isSession else {
            throw InboxError.forbidden(reason: "this is for devices; a session is its person's for good")
        }
        return credential
    }

    /// A session is good as a bearer alone, and a device's user by Basic alone.
    private func credential(
        of user: UserID, provenBy digest: [UInt8], isSession: Bool
    ) async throws -> Credential {
        guard let credential = try await store.credential(of: user),
            constantTimeEquals(credential.passwordDigest, digest), credential.reader.isSession == isSession
        else { throw InboxError.unauthorized }
        try configuration.rates?.count(user)
        return credential
    }
}

/// What a browser proves its session by: the id of the session's user and a secret, each of 22 characters.
struct SessionToken {
    let user: UserID
    let secretDigest: [UInt8]
    let text: String

    /// A new session's.
    init(of user: UserID) {
        let secret = RandomBytes.token22()
        self.user = user
        secretDigest = SHA256.digest(secret)
        text = user.text + secret
    }

    /// Reads what a client sent; nothing if it has another form.
    init?(text: String) {
        let bytes = Array(text.utf8)
        let secretStart = bytes.count - RandomBytes.tokenCharacters
        guard secretStart == RandomBytes.tokenCharacters, let user = UserID(text: bytes[..<secretStart])
        else {
            return nil
        }
        self.user = user
        secretDigest = SHA256.digest(bytes[secretStart...])
        self.text = text
    }
}
