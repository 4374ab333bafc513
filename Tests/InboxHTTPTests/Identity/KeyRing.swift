import Crypto
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxStorage
import Postgres
import TestSupport

extension DeviceStage {
    /// Makes a token of an app's backend; its text and id.
    func token(
        of app: App, for scopes: Set<TokenScope>, life: Duration? = nil
    ) async throws -> (text: String, id: SecretID) {
        var token = NewSecret.token(for: scopes)
        token.stored.life = life
        let stored = token.stored
        return (
            token.text,
            try await onRegister { register in
                try register.add(stored, to: try register.app(named: app.name).app)
            }
        )
    }

    /// Makes a key of HS256; its bytes and id.
    func hs256Key(of app: App) async throws -> (secret: [UInt8], id: SecretID) {
        let key = configuration.key
        return try await onRegister { register in
            let id = try register.app(named: app.name).app
            let made = NewSecret.hs256(of: id, under: key)
            let bytes = Base64URL.decode(Array(made.text.utf8)[...]) ?? []
            return (bytes, try register.add(made.stored, to: id))
        }
    }

    func revoke(_ id: SecretID, of app: App) async throws {
        _ = try await onRegister { register in
            try register.revoke(id, of: try register.app(named: app.name).app)
        }
    }

    func onRegister<Success: Sendable>(
        _ body: @escaping @Sendable (AppRegister) throws -> Success
    ) async throws -> Success {
        try await onDatabaseThread { [url] in try body(AppRegister(try AdminConnection(url))) }
    }
}
