/// Which of our targets each target may import.
///
/// Adapters do not know each other: `InboxHTTP` sees no SQL, `InboxStorage` no HTTP; only `martlet` knows both.
enum Imports {
    /// By target, without `Platform`, which stands below all; a target that is not here may not exist.
    static let allowed: [String: Set<String>] = [
        "CEvent": [], "COpenSSL": [], "CPostgres": [], "CSodium": [], "CSQLite": [], "CSystem": [],
        "Platform": [],
        "EventLoop": ["CEvent"],
        "HTTPCore": [],
        "InboxModel": [],
        "InboxWire": ["InboxModel"],
        "PushPayload": [],
        "Postgres": ["CPostgres", "EventLoop"],
        "PrivateCluster": ["CSystem"],
        "HTTPServer": ["CEvent", "EventLoop", "HTTPCore"],
        "HTTPClient": ["CEvent", "EventLoop", "HTTPCore"],
        "Crypto": ["COpenSSL", "CSodium"],
        "InboxService": ["InboxModel", "Crypto"],
        "InboxStorage": ["InboxService", "InboxModel", "Postgres", "EventLoop"],
        "InboxHTTP": [
            "InboxService", "InboxModel", "InboxWire", "PushPayload", "HTTPCore", "EventLoop", "WebInbox",
            "Crypto",
        ],
        "WebInbox": [],
        "ReferenceInbox": ["InboxModel"],
        "ClientCore": ["InboxModel", "InboxWire", "HTTPCore"],
        "InboxClient": ["ClientCore", "InboxModel", "InboxWire", "HTTPCore", "CSQLite"],
        "martlet": [
            "EventLoop", "HTTPCore", "InboxModel", "InboxWire", "PushPayload", "Postgres", "HTTPServer",
            "HTTPClient", "PrivateCluster",
            "Crypto", "InboxService", "InboxStorage", "InboxHTTP", "WebInbox", "ReferenceInbox", "ClientCore",
        ],
        "SimulatorKit": [
            "InboxClient", "ReferenceInbox", "ClientCore", "InboxModel", "InboxWire", "HTTPCore", "CSQLite",
        ],
        "FaultProxy": ["SimulatorKit", "EventLoop"],
        "simulator": [
            "SimulatorKit", "FaultProxy", "HTTPClient", "HTTPCore", "EventLoop", "Crypto", "PrivateCluster",
        ],
    ]

    private static let wrapped: Set = [
        "CEvent", "COpenSSL", "CPostgres", "CSodium", "CSQLite", "CSystem",
    ]

    /// Imports of our own targets that the table does not hold, and C modules that would show in an API.
    static func violations(_ file: SourceFile) -> [Violation] {
        guard file.isSwift, let target = file.target else { return [] }
        return file.code.indices.compactMap { index in
            guard let imported = module(importedBy: file.code[index]) else { return nil }
            let line = index + 1
            let isC = wrapped.contains(imported.name)
            if isC, file.isTest {
                return file.violation(of: .import, line: line, "tests go through the wrapper of a C library")
            }
            if isC, imported.isShown {
                return file.violation(of: .import, line: line, "a C module is an internal import")
            }
            if file.isTest { return nil }
            guard allowed[imported.name] != nil, imported.name != "Platform", imported.name != target,
                allowed[target]?.contains(imported.name) != true
            else { return nil }
            return file.violation(of: .import, line: line, "\(target) may not import \(imported.name)")
        }
    }

    /// The module that a line of code imports, and whether its types may then show outside of the file's target.
    static func module(importedBy line: String) -> (name: String, isShown: Bool)? {
        let words = line.split { $0 == " " || $0 == "." }.map(String.init)
        guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count else { return nil }
        let before = Set(words[..<keyword])
        guard
            before.isSubset(of: [
                "internal", "private", "fileprivate", "package", "public", "@_exported", "@testable",
            ])
        else { return nil }
        let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        let name =
            kinds.contains(words[keyword + 1]) ? words.dropFirst(keyword + 2).first : words[keyword + 1]
        return name.map { ($0, !before.isDisjoint(with: ["package", "public", "@_exported"])) }
    }
}
