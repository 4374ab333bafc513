package import InboxModel

/// Which app a request says it is about, before anything is proved.
package enum AppClaim: Hashable, Sendable {
    case id(AppID)
    case key(AppKey)
    /// The app of a backend's token, by the token's SHA-256.
    case token([UInt8])
}
