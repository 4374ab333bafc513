package import Foundation
package import InboxModel

/// A message of a list as the strictest of the published clients reads it: what it would refuse throws.
///
/// One such message makes iOS drop the whole list, and Android keep a broken message for good.
package struct StrictMessage: Decodable, Sendable {
    package let id: MessageID
    /// What is handed back to have the message marked, as JSON.
    package let reporting: [UInt8]
    package let bodyURL: URL
    package let title: String
    package let isUnread: Bool
    /// Seconds since 1970.
    package let sent: Int64
    package let expires: Int64?
    package let contentType: String
    package let extra: [String: String]

    private enum CodingKeys: String, CodingKey {
        case id = "message_id"
        case url = "message_url"
        case bodyURL = "message_body_url"
        case readURL = "message_read_url"
        case reporting = "message_reporting"
        case sent = "message_sent"
        case expires = "message_expiry"
        case title, extra, icons
        case isUnread = "unread"
        case contentType = "content_type"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard let id = MessageID(text: try values.decode(String.self, forKey: .id).utf8) else {
            throw StrictMessage.bad(.id, in: values, "is no message id")
        }
        self.id = id
        _ = try StrictMessage.url(.url, in: values)
        _ = try StrictMessage.url(.readURL, in: values)
        bodyURL = try StrictMessage.url(.bodyURL, in: values)
        let reporting = try values.decode([String: String].self, forKey: .reporting)
        guard !reporting.isEmpty else { throw StrictMessage.bad(.reporting, in: values, "is empty") }
        self.reporting = try StrictMessage.encode(reporting)
        title = try values.decode(String.self, forKey: .title)
        isUnread = try values.decode(Bool.self, forKey: .isUnread)
        guard let sent = try wireDate(values.decode(String.self, forKey: .sent)) else {
            throw StrictMessage.bad(.sent, in: values, "is no date that every client reads")
        }
        self.sent = sent
        expires = try values.decodeIfPresent(String.self, forKey: .expires).map { text in
            guard let expires = wireDate(text) else {
                throw StrictMessage.bad(.expires, in: values, "is no date that every client reads")
            }
            return expires
        }
        contentType = try values.decode(String.self, forKey: .contentType)
        extra = try values.decodeIfPresent([String: String].self, forKey: .extra) ?? [:]
        _ = try values.decodeIfPresent([String: String].self, forKey: .icons)
    }

    private static func url(
        _ key: CodingKeys, in values: KeyedDecodingContainer<CodingKeys>
    ) throws -> URL {
        let text = try values.decode(String.self, forKey: key)
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.host() != nil,
            url.scheme == "http" || url.scheme == "https"
        else {
            throw bad(key, in: values, "is no absolute URL")
        }
        return url
    }

    private static func bad(
        _ key: CodingKeys, in values: KeyedDecodingContainer<CodingKeys>, _ reason: String
    ) -> DecodingError {
        .dataCorruptedError(forKey: key, in: values, debugDescription: "\(key.rawValue) \(reason)")
    }

    private static func encode(_ reporting: [String: String]) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(reporting))
    }
}
