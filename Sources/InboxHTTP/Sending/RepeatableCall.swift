import Crypto
import HTTPCore
import InboxModel
import InboxService

extension Call {
    /// The key under which the caller may repeat this request, with the digest of what is asked; nothing without one.
    ///
    /// A handler that honours it first asks the store for the first answer, and only then reads the body: a repeat is
    /// answered although its expiry has passed meanwhile.
    /// - Parameter operation: what the route does, such as `POST /v1/messages`: the same body elsewhere is another
    ///   request.
    /// - Throws: `InboxError.invalid` naming the header.
    func repeatable(as operation: StaticString) throws -> RepeatableRequest? {
        let keys = request.headers.values(of: "idempotency-key")
        guard let text = keys.first else { return nil }
        guard keys.count == 1 else {
            throw InboxError.invalid(field: "Idempotency-Key", reason: "must stand there once")
        }
        var asked = Array("\(operation)\n".utf8)
        asked += request.body
        return RepeatableRequest(key: try IdempotencyKey(text), digest: SHA256.digest(asked))
    }
}
