import Foundation

/// The form in which a draft is stored until it is sent; it outlives versions of the program.
///
/// The body is base64, since it may be any bytes.
extension Draft: Codable {
    private enum CodingKeys: String, CodingKey {
        case title
        case body
        case contentType = "content_type"
        case extra
        case icon
        case expiry
    }

    package func encode(to encoder: any Encoder) throws {
        var form = encoder.container(keyedBy: CodingKeys.self)
        try form.encode(title, forKey: .title)
        try form.encode(Data(body), forKey: .body)
        try form.encode(contentType, forKey: .contentType)
        try form.encode(extra, forKey: .extra)
        try form.encodeIfPresent(icon, forKey: .icon)
        try form.encode(expiry, forKey: .expiry)
    }

    package init(from decoder: any Decoder) throws {
        let form = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            title: try form.decode(String.self, forKey: .title),
            body: Array(try form.decode(Data.self, forKey: .body)),
            contentType: try form.decode(String.self, forKey: .contentType),
            extra: try form.decode([String: String].self, forKey: .extra),
            icon: try form.decodeIfPresent(String.self, forKey: .icon),
            expiry: try form.decode(Expiry.self, forKey: .expiry))
    }
}
