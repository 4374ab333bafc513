import Crypto
import Foundation
import InboxModel
import InboxService
import Platform

/// Tokens for one channel or one contact of an app: opaque, kept nowhere, void when the app secret they came from is.
struct DeviceTokens {
    /// How long a token is good for: clients renew it shortly before.
    static let lifeMilliseconds: Int64 = 3_600_000

    private static let expiryBytes = 8
    private static let tagBytes = 32

    let key: SecretKey
    let app: AppCredentials

    /// What a token is for; channels' and contacts' tokens never pass for each other.
    private enum Purpose: String {
        case channel = "channel token"
        case contact = "contact token"
    }

    /// A token for a channel, known or not; nothing if the app has no secret.
    func token(for channel: ChannelID) -> String? { token(.channel, channel.text) }

    /// A token for a contact.
    func token(forContact contact: String) -> String? { token(.contact, contact.lowercased()) }

    /// The channel that a token is for; nothing if it is not ours, for another app, or too old.
    func channel(of token: String) -> ChannelID? { name(in: token, .channel).flatMap { ChannelID(text: $0) } }

    /// The contact that a token is for.
    func contact(of token: String) -> String? { name(in: token, .contact) }

    private func token(_ purpose: Purpose, _ name: String) -> String? {
        guard let secret = app.secrets.first(where: { $0.kind == .app }) else { return nil }
        let expiry = UInt64(app.now.milliseconds + DeviceTokens.lifeMilliseconds)
        let claims =
            (0..<8).map { UInt8(truncatingIfNeeded: expiry >> UInt64(56 - 8 * $0)) } + Array(name.utf8)
        return Base64.encode(tagKey(purpose, secret).tag(claims) + claims)
    }

    private func name(in token: String, _ purpose: Purpose) -> String? {
        guard let bytes = Base64.decode(token), bytes.count > DeviceTokens.tagBytes + DeviceTokens.expiryBytes
        else { return nil }
        let tag = Array(bytes[..<DeviceTokens.tagBytes])
        let claims = Array(bytes[DeviceTokens.tagBytes...])
        let isOurs = app.secrets.contains { secret in
            secret.kind == .app && tagKey(purpose, secret).verify(tag, of: claims)
        }
        let expiry = claims[..<DeviceTokens.expiryBytes].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard isOurs, expiry > UInt64(app.now.milliseconds) else { return nil }
        return String(decoding: claims[DeviceTokens.expiryBytes...], as: UTF8.self)
    }

    /// A key that only this app's secret and this purpose have.
    private func tagKey(_ purpose: Purpose, _ secret: AppCredentials.Secret) -> SecretKey {
        SecretKey(bytes: key.derive(purpose.rawValue).tag(Array("\(app.app.rawValue):".utf8) + secret.digest))
            ?? key.derive(purpose.rawValue)
    }
}
