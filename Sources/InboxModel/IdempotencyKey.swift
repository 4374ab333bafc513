/// A caller's own name for a request that it may have to repeat: 1 to 255 printable characters of ASCII.
package struct IdempotencyKey: Hashable, Sendable {
    /// Most characters of a key.
    package static let maximumBytes = 255

    /// The key as it came, compared by bytes.
    package let text: String

    /// - Throws: `InboxError.invalid` naming `field`.
    package init(_ text: String, field: String = "Idempotency-Key") throws(InboxError) {
        guard !text.isEmpty else { throw .invalid(field: field, reason: "must not be empty") }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalid(field: field, reason: "must be printable ASCII")
        }
        guard text.utf8.count <= IdempotencyKey.maximumBytes else {
            throw .invalid(
                field: field, reason: "is longer than \(IdempotencyKey.maximumBytes) characters",
                limit: Limit("idempotency_key_bytes", IdempotencyKey.maximumBytes))
        }
        self.text = text
    }
}
