import Crypto
import HTTPCore
import InboxModel
package import InboxService

extension Shard {
    /// The credential of an inbox user, proved by Basic `user_id:password`; its one look-up also says the view's state.
    ///
    /// - Parameter user: the user that the path names, who must be the caller; nil where it names none.
    /// - Throws: `InboxError.unauthorized`, the same for an unknown user and a wrong password.
    package func reader(_ call: Call, user: String? = nil) async throws -> Credential {
        guard case .basic(let name, let digest)? = Authorization(call.request),
            // An id has one spelling, so the texts are equal exactly when the users are.
            user.map({ $0.utf8.elementsEqual(name) }) ?? true, let id = UserID(text: name),
            let credential = try await store.credential(of: id),
            constantTimeEquals(credential.passwordDigest, digest)
        else { throw InboxError.unauthorized }
        return credential
    }
}
