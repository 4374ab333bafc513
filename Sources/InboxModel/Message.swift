package import Platform

/// A message as it is composed: checked against the limits, not yet sent.
package struct Draft: Hashable, Sendable {
    package var title: String
    /// The body after decoding; bytes, since a customer may send any media type.
    package var body: [UInt8]
    package var contentType: String
    /// Text values only: clients drop all of them if one is anything else.
    package var extra: [String: String]
    /// `list_icon`, if there is one.
    package var icon: String?
    package var expiry: Expiry

    package init(
        title: String, body: [UInt8], contentType: String = "text/html", extra: [String: String] = [:],
        icon: String? = nil, expiry: Expiry = .longest
    ) {
        self.title = title
        self.body = body
        self.contentType = contentType
        self.extra = extra
        self.icon = icon
        self.expiry = expiry
    }
}

/// When a message leaves every inbox.
package enum Expiry: Hashable, Sendable {
    /// Nothing was asked for: the longest life the limits allow.
    case longest
    /// Never was asked for, and is cut to the longest life.
    case never
    case after(seconds: Int64)
    case at(Instant)

    /// Whether the life that was asked for is longer than the one that a message got.
    package func isClamped(sent: Instant, expires: Instant) -> Bool {
        let life = expires.milliseconds - sent.milliseconds
        return switch self {
        case .longest: false
        case .never: true
        case .after(let seconds): seconds > life / 1000
        case .at(let instant): instant.milliseconds > expires.milliseconds
        }
    }
}

/// A sent message without its body: what a list shows of it.
///
/// Immutable.
package struct MessageHead: Hashable, Sendable {
    package var id: MessageID
    package var title: String
    package var contentType: String
    package var bodyBytes: Int
    package var extra: [String: String]
    package var icon: String?
    package var sent: Instant
    package var expires: Instant
    package var deviceTypes: DeviceTypes

    package init(
        id: MessageID, title: String, contentType: String, bodyBytes: Int, extra: [String: String],
        icon: String?, sent: Instant, expires: Instant, deviceTypes: DeviceTypes
    ) {
        self.id = id
        self.title = title
        self.contentType = contentType
        self.bodyBytes = bodyBytes
        self.extra = extra
        self.icon = icon
        self.sent = sent
        self.expires = expires
        self.deviceTypes = deviceTypes
    }
}

/// The content of a sent message.
///
/// Immutable.
package struct MessageBody: Hashable, Sendable {
    package var contentType: String
    package var bytes: [UInt8]

    package init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }
}
