/// An error that an operation can answer.
struct Refusal: Hashable, Sendable {
    let status: Int
    /// Its key among the document's components.
    let name: String
    let meaning: String

    private init(_ status: Int, _ name: String, _ meaning: String) {
        (self.status, self.name, self.meaning) = (status, name, meaning)
    }

    /// By status, ascending.
    static let all = [
        Refusal(400, "BadRequest", "Path, query, headers or body are not as they must be."),
        Refusal(401, "Unauthorized", "Credentials are missing, wrong, expired or not of the kind asked for."),
        Refusal(403, "Forbidden", "The caller is known, but may not do this."),
        Refusal(404, "NotFound", "There is none, or it is another's, which looks the same."),
        Refusal(409, "Conflict", "The request contradicts what is stored."),
        Refusal(413, "TooLarge", "More bytes than a limit allows."),
        Refusal(415, "UnsupportedMediaType", "The body is compressed; send plain JSON."),
        Refusal(
            429, "RateLimited", "Too many, too fast or at once; come back after the time in Retry-After."),
        Refusal(500, "Internal", "A fault of the server; its log has more under the reference."),
        Refusal(
            503, "Unavailable", "Not possible right now; with code outcome_unknown it may have been done."),
    ]

    static subscript(status: Int) -> Refusal {
        guard let refusal = all.first(where: { $0.status == status }) else {
            preconditionFailure("no refusal has the status \(status)")
        }
        return refusal
    }
}

extension Operation {
    /// All errors that it can answer, by status, and what each means here if that is special.
    var refusals: [(refusal: Refusal, meaning: String?)] {
        let statuses = Set([400, 500, 503]).union(access.refusals)
            .union(body == nil ? [] : [413, 415]).union(ownRefusals.keys)
        return statuses.sorted().map { (Refusal[$0], ownRefusals[$0]) }
    }
}

extension Access {
    /// Statuses that follow from proving who calls.
    fileprivate var refusals: Set<Int> {
        switch self {
        case .open: []
        case .reader, .app: [401, 429]
        case .device, .backend: [401, 403, 429]
        }
    }
}
