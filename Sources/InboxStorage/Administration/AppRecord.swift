package import InboxModel
package import InboxService
package import Platform
package import Postgres

/// An app that does not exist yet.
package struct NewApp: Sendable {
    package var name: String
    package var key: AppKey
    package var delivery: DeliveryMode
    package var identity: IdentityMode

    package init(name: String, key: AppKey, delivery: DeliveryMode, identity: IdentityMode) {
        self.name = name
        self.key = key
        self.delivery = delivery
        self.identity = identity
    }
}

/// An app as its operator sees it.
package struct AppRecord: Sendable {
    package let app: AppID
    package let key: String
    package let name: String
    package let delivery: DeliveryMode
    package let identity: IdentityMode
    package let created: Instant
}

extension AppRecord: RowDecodable {
    package init(row: inout Row) throws(PostgresError) {
        app = AppID(rawValue: try row.next())
        key = try row.next()
        name = try row.next()
        delivery = try row.next()
        identity = try row.next()
        created = try row.next()
    }
}

/// How much an app has.
package struct AppHoldings: Sendable {
    package let channels: Int64
    package let people: Int64
    package let messages: Int64
    package let deliveries: Int64
}

extension AppHoldings: RowDecodable {
    package init(row: inout Row) throws(PostgresError) {
        channels = try row.next()
        people = try row.next()
        messages = try row.next()
        deliveries = try row.next()
    }
}

/// A secret as its operator sees it: never the secret.
package struct SecretRecord: Sendable {
    package let id: SecretID
    package let kind: AppCredentials.Secret.Kind
    /// SHA-256 of the secret, by which it can be told from others.
    package let digest: [UInt8]
    /// What a token is good for.
    package let scopes: Set<TokenScope>
    package let name: String?
    package let created: Instant
    /// When it ends, by itself or by a rotation.
    package let expires: Instant?
}

extension SecretRecord: RowDecodable {
    package init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        kind = try row.next()
        digest = try row.next()
        scopes = TokenScope.scopes(try row.next())
        name = try row.next()
        created = try row.next()
        expires = try row.next()
    }
}

// The columns' check constraints let no other number in.
extension DeliveryMode: PostgresValue {}
extension IdentityMode: PostgresValue {}
extension AppCredentials.Secret.Kind: PostgresValue {}
