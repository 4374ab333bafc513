import Crypto
package import InboxModel

/// Which messages of a device's inbox and of the app a view shows, by the person that they name in `extra`.
///
/// What is in the person's own inbox is always shown.
package enum ViewFilter: Hashable, Sendable {
    case off
    /// Those that name the person who is logged in; with `showsUntargeted` also those that name nobody, while somebody is.
    case namedUser(showsUntargeted: Bool)

    /// The key of `extra` that names a person.
    package static let key = "named_user_id"

    /// Whether a message is shown to the person who is logged in, if anyone is.
    package func shows(_ target: NameDigest?, to person: NameDigest?) -> Bool {
        switch self {
        case .off: true
        case .namedUser(let showsUntargeted):
            person != nil && (target == nil ? showsUntargeted : target == person)
        }
    }
}

/// A name in 128 bits of its SHA-256: compared by the thousand, without counting references to texts.
package struct NameDigest: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// The digest of the bytes of a name.
    package init(_ name: String) {
        let bytes = SHA256.digest(name)
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }

    package init(_ person: NamedUserID) { self.init(person.text) }
}
