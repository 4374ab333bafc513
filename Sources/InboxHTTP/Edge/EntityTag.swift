import HTTPCore

extension Request {
    /// Whether `If-None-Match` names the tag, so that its holder needs nothing.
    ///
    /// A weak form of it counts, since proxies that compress make tags weak; `*` does not, for it names none.
    func holds(_ etag: String?) -> Bool {
        guard let etag else { return false }
        return entityTags.contains { $0 == etag }
    }

    /// The tags of `If-None-Match`, each with its quotes and without the mark of weakness.
    var entityTags: [Substring] {
        headers.values(of: "if-none-match").flatMap { field in
            field.split(separator: ",").map { part in
                let tag = part.drop { $0 == " " }
                return (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag).trimmedEnd
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
