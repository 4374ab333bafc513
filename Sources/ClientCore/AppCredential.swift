import Foundation

/// What every installation of an app carries: the app's key and its app secret.
package struct AppCredential: Hashable, Sendable {
    package let key: String
    package let secret: String

    package init(key: String, secret: String) {
        self.key = key
        self.secret = secret
    }

    /// The value of the `Authorization` field with which a channel is registered.
    package var authorization: String { basicAuthorization(key, secret) }
}

/// Name and password as RFC 7617 joins them.
package func basicAuthorization(_ name: String, _ password: String) -> String {
    "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
}
