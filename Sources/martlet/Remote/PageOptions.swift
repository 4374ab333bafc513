import HTTPCore

/// Which page of a list is asked for.
struct PageOptions {
    static let options: [Option] = [.limit, .before]

    private let limit: Int
    private let before: String?

    init(_ arguments: inout Arguments) {
        limit = arguments.value(.limit, Values.wholeNumber(1...100)) ?? 20
        before = arguments.text(.before)
    }

    /// What is asked for, as the query of a call.
    var query: String { "limit=\(limit)" + (before.map { "&before=\(Target.escaped($0))" } ?? "") }
}

extension Option {
    fileprivate static let limit = Option("limit", "N", "at most so many, 1 to 100", fallback: "20")
    fileprivate static let before = Option("before", "PLACE", "the place that the page before named")
}
