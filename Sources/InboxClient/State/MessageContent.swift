package import InboxModel
package import Platform

/// What never changes of a message: one object for all who hold it.
package final class MessageContent: Sendable, Hashable {
    package let id: MessageID
    package let title: String
    package let contentType: String
    /// Size of the body in bytes; nothing where the server does not tell.
    package let bodyBytes: Int?
    /// What the sender put beside title and body; only text values are kept.
    package let extra: [String: String]
    /// Address of the picture beside the message in a list.
    package let icon: String?
    package let sent: Instant
    /// From this instant on nobody shows it; nothing where the server does not tell.
    package let expires: Instant?
    /// What the device interface needs beside all this.
    package let device: DeviceDetails?

    /// Facts that only a list of the device interface has.
    package struct DeviceDetails: Hashable, Sendable {
        /// Handed back as it came to have the message marked: one JSON value.
        package let reporting: [UInt8]
        /// Where the body is: an absolute URL.
        package let bodyURL: String

        package init(reporting: [UInt8], bodyURL: String) {
            self.reporting = reporting
            self.bodyURL = bodyURL
        }
    }

    package init(
        _ id: MessageID, words: Words, sent: Instant, expires: Instant?, device: DeviceDetails? = nil
    ) {
        self.id = id
        title = words.title
        contentType = words.contentType
        bodyBytes = words.bodyBytes
        extra = words.extra
        icon = words.icon
        self.sent = sent
        self.expires = expires
        self.device = device
    }

    /// What a sender composed.
    package struct Words: Hashable, Sendable {
        package var title = ""
        package var contentType = "text/html"
        package var bodyBytes: Int?
        package var extra: [String: String] = [:]
        package var icon: String?

        package init() {}
    }

    /// The sender's part of it.
    package var words: Words {
        var words = Words()
        words.title = title
        words.contentType = contentType
        words.bodyBytes = bodyBytes
        words.extra = extra
        words.icon = icon
        return words
    }

    package static func == (one: MessageContent, other: MessageContent) -> Bool {
        one === other
            || one.id == other.id && one.words == other.words && one.sent == other.sent
                && one.expires == other.expires && one.device == other.device
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// List order: the newest first, of the same millisecond by the id's text.
    package static func precedes(_ one: MessageContent, _ other: MessageContent) -> Bool {
        let (mine, theirs) = (one.sent.milliseconds, other.sent.milliseconds)
        return mine != theirs ? mine > theirs : one.id.text < other.id.text
    }

    /// Whether nobody shows it any more.
    package func hasExpired(at now: Instant) -> Bool { expires.map { $0 <= now } ?? false }
}
