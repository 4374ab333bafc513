import HTTPCore

/// How a run proves itself to the server, as device and as backend.
///
/// What needs cryptography is made outside.
package struct AppAccess: Sendable {
    package let appKey: String
    /// The Basic credentials of the app key and its master secret.
    package let backendAuthorization: String
    /// The base64 text of the HMAC-SHA256 of a text under the app secret.
    package let sign: @Sendable (String) -> String

    package init(appKey: String, backendAuthorization: String, sign: @escaping @Sendable (String) -> String) {
        self.appKey = appKey
        self.backendAuthorization = backendAuthorization
        self.sign = sign
    }

    private static let accept = "application/vnd.urbanairship+json; version=3;"

    /// What a stock library sends with every request of a device.
    func deviceHeaders(_ kind: DeviceKind, channel: String? = nil, isBodied: Bool = false) -> Headers {
        var headers = Headers()
        headers.add("X-UA-App-Key", appKey)
        headers.add("User-Agent", "(\(kind.library)\(kind.version); \(appKey))")
        headers.add("Accept", AppAccess.accept)
        if let channel { headers.add("X-UA-Channel-ID", channel) }
        if isBodied { headers.add("Content-Type", "application/json") }
        return headers
    }

    /// The same with a token that the device signs itself, over the parts in this order.
    func signedHeaders(_ kind: DeviceKind, channel: String? = nil, nonce: Nonce, isBodied: Bool) -> Headers {
        var headers = deviceHeaders(kind, channel: channel, isBodied: isBodied)
        let parts = [appKey, channel, nonce.uuid, nonce.timestamp].compactMap(\.self)
        // Android ends the token in a newline, which no header can carry: what arrives is the same.
        headers.add("Authorization", "Bearer \(sign(parts.joined(separator: ":")))")
        headers.add("X-UA-Appkey", appKey)
        headers.add("X-UA-Nonce", nonce.uuid)
        headers.add("X-UA-Timestamp", nonce.timestamp)
        return headers
    }

    /// The same with a token that the server gave.
    func tokenHeaders(_ kind: DeviceKind, channel: String, token: String) -> Headers {
        var headers = deviceHeaders(kind, channel: channel, isBodied: true)
        headers.add("Authorization", "Bearer \(token)")
        headers.add("X-UA-Appkey", appKey)
        headers.add("X-UA-Auth-Type", "SDK-JWT")
        return headers
    }

    func backendHeaders() -> Headers {
        var headers = Headers()
        headers.add("Authorization", backendAuthorization)
        headers.add("Accept", AppAccess.accept)
        headers.add("Content-Type", "application/json")
        headers.add("User-Agent", "UAPythonLib/7.4.1 \(appKey)")
        return headers
    }
}

/// Which library a simulated device is like.
package enum DeviceKind: String, Sendable, CaseIterable {
    case ios
    case android

    fileprivate var library: String { self == .ios ? "UALib " : "UrbanAirshipLib-android/" }

    var version: String { self == .ios ? "20.7.2" : "20.10.0" }
}

/// What makes a signed token fresh.
package struct Nonce: Sendable {
    package let uuid: String
    /// ISO 8601, UTC.
    package let timestamp: String

    package init(uuid: String, timestamp: String) {
        self.uuid = uuid
        self.timestamp = timestamp
    }
}
