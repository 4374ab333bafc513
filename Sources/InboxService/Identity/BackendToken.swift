package import InboxModel

/// What the look-up of a backend's token found.
package struct BackendToken: Sendable {
    package var id: SecretID
    package var scopes: Set<TokenScope>
    package var app: AppCredentials

    package init(id: SecretID, scopes: Set<TokenScope>, app: AppCredentials) {
        self.id = id
        self.scopes = scopes
        self.app = app
    }
}
