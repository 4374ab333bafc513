import Foundation

/// A person, named by the customer's own id.
///
/// Trimmed of white space, zero-width spaces and byte-order marks, NFC, 1 to 128 Unicode scalars; compared by bytes.
package struct NamedUserID: Hashable, Sendable {
    /// Most Unicode scalars of an id, after trimming: what published servers allow.
    package static let maximumScalars = 128

    /// The id as it is kept and compared.
    package let text: String

    /// - Throws: `InboxError.invalid` naming `field`, if nothing is left, too much is, or a control character is in it.
    package init(_ raw: String, field: String = "named_user_id") throws(InboxError) {
        let trimmed = NamedUserID.trimmed(raw).precomposedStringWithCanonicalMapping
        guard !trimmed.isEmpty else {
            throw .invalid(field: field, reason: "must not be empty or blank")
        }
        guard trimmed.unicodeScalars.count <= NamedUserID.maximumScalars else {
            throw .invalid(
                field: field, reason: "is longer than \(NamedUserID.maximumScalars) characters",
                limit: Limit("named_user_scalars", NamedUserID.maximumScalars))
        }
        guard !trimmed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .invalid(field: field, reason: "must not contain control characters")
        }
        text = trimmed
    }

    /// An id that was checked when it was stored.
    package init(stored text: String) { self.text = text }

    /// The text without what an id cannot begin or end with.
    package static func trimmed(_ raw: String) -> String { raw.trimmingCharacters(in: ignorable) }

    private static let ignorable = CharacterSet.whitespacesAndNewlines.union(
        CharacterSet(charactersIn: "\u{200B}\u{FEFF}"))
}
