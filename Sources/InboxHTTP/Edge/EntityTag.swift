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
            // By bytes: characters cost as much as all the rest of an answer 304.
            field.utf8.split(separator: UInt8(ascii: ",")).map { part in
                var tag = part.drop { $0 == UInt8(ascii: " ") }
                while tag.last == UInt8(ascii: " ") { tag.removeLast() }
                return Substring(tag.starts(with: "W/".utf8) ? tag.dropFirst(2) : tag)
            }
        }
    }
}
