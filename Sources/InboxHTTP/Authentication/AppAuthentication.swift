import Crypto
import Foundation
import HTTPCore
package import InboxModel
package import InboxService
import InboxWire
import Platform

/// An app's own device code, proved by the app secret or something made with it.
package struct DeviceCaller: Sendable {
    package var app: AppCredentials
    /// The one channel that the proof is for; nothing if it is for all of the app.
    package var channel: ChannelID?
}

extension Shard {
    /// How far a device's clock may be off in a generated token: phones that lost their time must not lose their inbox.
    ///
    /// Nonces are not remembered: within this time a token that was overheard could be used again, as on any service
    /// whose instances share no memory; TLS protects it.
    static let tokenSkew: Int64 = 86_400 * 1_000_000

    /// The app that a device proved by its app secret, or by a token made with it or for it.
    package func deviceApp(_ call: Call) async throws -> AppCredentials { try await deviceCaller(call).app }

    /// The same, where only what is for `channel` counts.
    func deviceApp(_ call: Call, for channel: ChannelID) async throws -> AppCredentials {
        let caller = try await deviceCaller(call)
        guard caller.channel == nil || caller.channel == channel else { throw InboxError.unauthorized }
        return caller.app
    }

    /// Any of the proofs that an app's devices have, contacts' tokens excepted.
    func deviceCaller(_ call: Call) async throws -> DeviceCaller {
        let caller = try await provenDeviceCaller(call)
        // The app's own secret is every device's, so that nothing can be counted by it.
        if let channel = caller.channel { try configuration.rates?.count(channel, of: caller.app.app) }
        return caller
    }

    private func provenDeviceCaller(_ call: Call) async throws -> DeviceCaller {
        switch Authorization(call.request) {
        case .basic(let name, let digest):
            let app = try await app(named: name)
            guard app.isProven(by: digest, kind: .app), call.mayMean(app.key) else {
                throw InboxError.unauthorized
            }
            return DeviceCaller(app: app, channel: nil)
        case .bearer(let token):
            let app = try await namedApp(call)
            if call.request.headers["x-ua-nonce"] != nil { return try generated(token, call, app) }
            guard let channel = tokens(app).channel(of: token) else { throw InboxError.unauthorized }
            return DeviceCaller(app: app, channel: channel)
        case nil:
            throw InboxError.unauthorized
        }
    }

    /// Tokens of an app, checked and made at the time of its look-up.
    func tokens(_ app: AppCredentials) -> DeviceTokens { DeviceTokens(key: configuration.key, app: app) }

    /// The app that the headers name; nothing is proved yet.
    func namedApp(_ call: Call) async throws -> AppCredentials {
        guard let key = call.namedAppKey.flatMap({ AppKey(text: $0) }), let app = try await store.app(key)
        else { throw InboxError.unauthorized }
        return app
    }

    /// The app that a Basic credential names; nothing is proved yet.
    func app(named name: ArraySlice<UInt8>) async throws -> AppCredentials {
        guard let key = AppKey(text: String(decoding: name, as: UTF8.self)),
            let app = try await store.app(key)
        else { throw InboxError.unauthorized }
        return app
    }

    /// Checks a token that the device generated: a signature over key, channel, nonce and time, as they were sent.
    private func generated(_ token: String, _ call: Call, _ app: AppCredentials) throws -> DeviceCaller {
        let headers = call.request.headers
        // A colon in the nonce could make a channel's signature pass for the app's.
        guard let nonce = headers["x-ua-nonce"], !nonce.utf8.contains(UInt8(ascii: ":")),
            let timestamp = headers["x-ua-timestamp"],
            let time = CalendarTime(text: timestamp)?.instant,
            abs(time.rawValue - app.now.rawValue) <= Shard.tokenSkew,
            let signature = Base64.decode(token)
        else { throw InboxError.unauthorized }
        // Signed is the channel too where the token is the channel's; some requests name it although it is the app's.
        if isSigned([app.key.text, nonce, timestamp], signature, by: app) {
            return DeviceCaller(app: app, channel: nil)
        }
        guard let name = headers["x-ua-channel-id"], let channel = ChannelID(text: name),
            isSigned([app.key.text, name, nonce, timestamp], signature, by: app)
        else { throw InboxError.unauthorized }
        return DeviceCaller(app: app, channel: channel)
    }

    private func isSigned(_ parts: [String], _ signature: [UInt8], by app: AppCredentials) -> Bool {
        let message = Array(parts.joined(separator: ":").utf8)
        return app.secrets.contains { secret in
            guard secret.kind == .app, let text = secret.reveal(under: configuration.key) else {
                return false
            }
            let code = HMACSHA256.code(key: Array(text.utf8), message: message)
            return constantTimeEquals(code, signature)
        }
    }
}

extension AppCredentials {
    /// Whether one of the app's secrets of a kind has this digest.
    func isProven(by digest: [UInt8], kind: Secret.Kind) -> Bool {
        secrets.contains { $0.kind == kind && constantTimeEquals($0.digest, digest) }
    }
}
