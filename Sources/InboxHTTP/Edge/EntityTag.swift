import HTTPCore

extension Request {
    /// Whether `If-None-Match` names the tag, so that its holder needs nothing.
    ///
    /// A weak form of it counts, since proxies that compress make tags weak; `*` does not, for it names none.
    func holds(_ etag: String?) -> Bool {
        guard let etag else { return false }
        return headers.values(of: "if-none-match").contains { field in
            field.split(separator: ",").contains { part in
                let tag = part.drop { $0 == " " }
                return (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag).trimmedEnd == etag
            }
        }
    }
}

extension Substring {
    fileprivate var trimmedEnd: Substring {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
