import HTTPCore
import InboxModel

extension Request {
    /// How many the page holds that the query's `limit` asks for; `standard` if it says nothing.
    ///
    /// - Parameter name: the limit's, for the refusal.
    func pageLimit(_ name: String, upTo most: Int, or standard: Int) throws(InboxError) -> Int {
        guard let text = queryValues("limit").first else { return standard }
        return try Request.pageLimit(text, name, upTo: most)
    }

    /// Reads a `limit`: a number from 1 to `most`.
    static func pageLimit(_ text: String, _ name: String, upTo most: Int) throws(InboxError) -> Int {
        guard let number = Int(text), (1...most).contains(number) else {
            throw .invalid(
                field: "limit", reason: "must be a number from 1 to \(most)", limit: Limit(name, most))
        }
        return number
    }
}
