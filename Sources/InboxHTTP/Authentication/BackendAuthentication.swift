import Crypto
import HTTPCore
package import InboxModel
package import InboxService

/// An app's backend, proved by the master secret or a token with the scope.
package struct BackendCaller: Sendable {
    package var app: AppCredentials
    /// What the audit calls it: `master`, or a token by its id, such as `token:7`.
    package let actor: String

    /// Proved by the master secret.
    init(master app: AppCredentials) {
        self.app = app
        actor = "master"
    }

    fileprivate init(_ token: BackendToken) {
        app = token.app
        actor = "token:\(token.id.text)"
    }

    /// Whether a bearer's text has the length of a backend's token, which devices' tokens do not have.
    static func canBeToken(_ text: String) -> Bool { text.utf8.count == RandomBytes.tokenCharacters }
}

extension Shard {
    /// The backend that a call comes from: by Basic `appKey:masterSecret`, which may do everything, or by a token.
    ///
    /// - Throws: `InboxError.unauthorized`, also for the app secret, and `InboxError.forbidden` for a token without the scope.
    package func backend(_ call: Call, _ scope: TokenScope) async throws -> BackendCaller {
        switch Authorization(call.request) {
        case .basic(let name, let digest):
            let app = try await app(named: name)
            guard app.isProven(by: digest, kind: .master), call.mayMean(app.key) else {
                throw InboxError.unauthorized
            }
            return try counted(BackendCaller(master: app))
        case .bearer(let token): return try await backend(call, scope, token)
        case nil: throw InboxError.unauthorized
        }
    }

    /// The backend that a token is for; the header that names an app need not be there, but must not name another.
    func backend(_ call: Call, _ scope: TokenScope, _ token: String) async throws -> BackendCaller {
        guard BackendCaller.canBeToken(token),
            let found = try await store.backendToken(SHA256.digest(token)),
            call.mayMean(found.app.key)
        else { throw InboxError.unauthorized }
        guard found.scopes.contains(scope) else {
            throw InboxError.forbidden(reason: "the token does not have the scope \(scope.rawValue)")
        }
        return try counted(BackendCaller(found))
    }

    /// A backend that does not call too often.
    func counted(_ caller: BackendCaller) throws -> BackendCaller {
        try configuration.rates?.count(caller.app.app)
        return caller
    }
}

extension Call {
    /// The app key in the headers, as it was sent.
    var namedAppKey: String? { request.headers["x-ua-appkey"] ?? request.headers["x-ua-app-key"] }

    /// Whether the headers name this app, or none.
    func mayMean(_ key: AppKey) -> Bool { namedAppKey.map { $0 == key.text } ?? true }
}
