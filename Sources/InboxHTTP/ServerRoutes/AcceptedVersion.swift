import HTTPCore
import InboxModel

/// The version of the server API that a caller accepts.
enum AcceptedVersion {
    /// Refuses an `Accept` that offers no version 3.
    ///
    /// A missing one accepts anything, as HTTP says, and so do wildcards.
    static func check(_ request: Request) throws(InboxError) {
        let fields = request.headers.values(of: "accept")
        guard !fields.isEmpty else { return }
        let ranges = fields.flatMap { $0.split(separator: ",") }
        guard ranges.contains(where: offersVersion3) else {
            throw .notAcceptable(
                reason: "Accept must offer application/vnd.urbanairship+json; version=3")
        }
    }

    private static func offersVersion3(_ range: Substring) -> Bool {
        let parts = range.split(separator: ";").map { part in
            part.filter { !$0.isWhitespace && $0 != "\"" }.lowercased()
        }
        guard let type = parts.first else { return false }
        return type == "*/*" || type == "application/*" || parts.contains("version=3")
    }
}
