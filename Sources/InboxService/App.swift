package import InboxModel
package import Platform

/// Where a new send to people is kept.
package enum DeliveryMode: Int16, Sendable, CaseIterable {
    /// In device inboxes of the channels that match then.
    case devices = 0
    /// Once, in the persons' inboxes.
    case person = 1
}

/// Who may log a device in as a named user.
package enum IdentityMode: Int16, Sendable, CaseIterable {
    /// Only the customer's backend, or a device with a token it signed.
    case verified = 0
    /// The device itself, as published SDKs do.
    case trusted = 1
}

/// The number of a secret within the installation, and a key's name in tokens that it signs.
package struct SecretID: Hashable, Sendable, RawRepresentable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// As people and tokens write it.
    package var text: String { String(rawValue) }
}

/// What one look-up found of an app: settings, secrets and the database's time.
package struct AppCredentials: Sendable {
    /// A secret that is valid now, no backend's token; during a rotation there are two of a kind.
    package struct Secret: Sendable {
        package enum Kind: Int16, Sendable {
            case app = 0
            case master = 1
            /// With which the app's backend signs who logs in.
            case hs256 = 2
            /// The public half of what the backend signs with.
            case es256 = 3
            /// A backend's, with scopes.
            case token = 4

            /// As people and the audit name it.
            package var word: String {
                switch self {
                case .app: "app"
                case .master: "master"
                case .hs256: "hs256"
                case .es256: "es256"
                case .token: "token"
                }
            }
        }

        package var id: SecretID
        package var kind: Kind
        /// SHA-256 of the secret.
        package var digest: [UInt8]
        /// What is needed again (`app`, `hs256`, `es256`) under the installation's key; else empty.
        package var sealed: [UInt8]

        package init(id: SecretID, kind: Kind, digest: [UInt8], sealed: [UInt8]) {
            self.id = id
            self.kind = kind
            self.digest = digest
            self.sealed = sealed
        }
    }

    package var app: AppID
    package var key: AppKey
    package var revision: Revision
    package var settingsRevision: Revision
    package var deliveryMode: DeliveryMode
    package var identityMode: IdentityMode
    package var secrets: [Secret]
    package var now: Instant

    package init(
        app: AppID, key: AppKey, revisions: (app: Revision, settings: Revision),
        modes: (delivery: DeliveryMode, identity: IdentityMode), secrets: [Secret], now: Instant
    ) {
        self.app = app
        self.key = key
        revision = revisions.app
        settingsRevision = revisions.settings
        deliveryMode = modes.delivery
        identityMode = modes.identity
        self.secrets = secrets
        self.now = now
    }
}
