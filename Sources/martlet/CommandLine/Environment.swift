import Foundation

/// The variables that the process was started with.
struct Environment: Sendable {
    private let variables: [String: String]

    init(_ variables: [String: String]) { self.variables = variables }

    /// A variable that names a file which cannot be read.
    struct UnreadableFile: Error {
        let variable: String
        let path: String
    }

    /// A value, and the variable that it came from; of several the first, and a variable before its file.
    ///
    /// A line end at the end of a file is not part of the secret.
    func value(of option: Option) throws(UnreadableFile) -> (text: String, variable: String)? {
        for name in option.variables {
            if let text = variables[name], !text.isEmpty { return (text, name) }
            let file = "\(name)_FILE"
            guard option.isSecret, let path = variables[file], !path.isEmpty else { continue }
            do {
                return (try String(contentsOfFile: path, encoding: .utf8).trimming(\.isNewline), file)
            } catch {
                throw UnreadableFile(variable: file, path: path)
            }
        }
        return nil
    }

    /// Warnings about variables that look like ours and mean nothing.
    func unknown(among known: Set<String>) -> [String] {
        variables.keys.sorted().filter { $0.hasPrefix("MARTLET_") && !known.contains($0) }
            .filter { name in !Environment.ofOthers.contains(where: name.hasPrefix) }
            .map { "\($0) means nothing\(Spelling.question($0, among: known.sorted()))" }
    }

    /// What the simulator, the search for PostgreSQL's programs, and `./test` read.
    private static let ofOthers = [
        "MARTLET_APP_SECRET", "MARTLET_POSTGRES_BIN", "MARTLET_TEST_", "MARTLET_RECORD",
    ]
}

extension StringProtocol {
    /// The text without the characters at both ends that `isIgnored` is true of.
    func trimming(_ isIgnored: (Character) -> Bool) -> String {
        guard let first = firstIndex(where: { !isIgnored($0) }),
            let last = lastIndex(where: { !isIgnored($0) })
        else { return "" }
        return String(self[first...last])
    }
}
