/// The command line of `simulator report`, read and checked.
struct ReportArguments {
    /// Records, one of each process of the run.
    private(set) var files: [String] = []
    /// Where the page goes, if one is wanted.
    private(set) var page: String?
    /// Where the record of the whole run goes, if one is wanted.
    private(set) var record: String?

    init(_ arguments: [String]) throws(UsageError) {
        var problems: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                files.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (parts[0], parts.count == 2 ? String(parts[1]) : nil)
            switch name {
            case "html": page = ReportArguments.path(value, &rest, of: name, &problems)
            case "json": record = ReportArguments.path(value, &rest, of: name, &problems)
            default: problems.append("there is no option --\(name)")
            }
        }
        if files.isEmpty { problems.append("name the records: FILE…") }
        guard problems.isEmpty else { throw UsageError(problems: problems) }
    }

    /// What stands behind `=`, or else the next argument.
    private static func path(
        _ value: String?, _ rest: inout ArraySlice<String>, of name: Substring, _ problems: inout [String]
    ) -> String? {
        if let path = value ?? rest.popFirst(), !path.isEmpty { return path }
        problems.append("--\(name) needs a value")
        return nil
    }
}
