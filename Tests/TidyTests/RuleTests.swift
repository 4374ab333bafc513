import Testing

/// The rules find what they are for, on small bad examples, and leave the good ones alone.
struct RuleTests {
    private func file(_ text: String, at path: String = "Sources/InboxModel/Example.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test(arguments: [
        ("a // b {", "a       "),
        ("a /* { /* */ } */ b", "a                 b"),
        (#"f("{ \(g("}")) {") + 1"#, #"f(               ) + 1"#),
        (##"f(#"\("# + "\"}") {"##, ##"f(       +      ) {"##),
        ("f(\"\"\"\n  \" { \n\"\"\") }", "f(   \n      \n   ) }"),
        ("func `if { a`() {}", "func         () {}"),
    ])
    func `only code is left of a text`(text: String, code: String) {
        #expect(CodeMask.code(of: text) == code)
    }

    @Test(arguments: [
        ("func f() {}", 0), ("func f(a: Int) {}", 1), ("func f<A, B>(a: A, b: (B, B), c: [A: B]) {}", 3),
        ("static func < (a: A, b: A) -> Bool { true }", 2), ("func `a, b`(c: Int, d: Int = max(1, 2)) {}", 2),
    ])
    func `parameters are counted`(text: String, count: Int) throws {
        let function = try #require(Function.all(in: CodeMask.code(of: text)).first)
        #expect(function.parameters == count)
    }

    @Test(arguments: [
        ("if a { for b in c { while d { e() } } }", 3),
        ("if a { } else if b { } else { }", 1),
        ("a.forEach { if b { c { d() } } }", 1),
        ("guard let a = b(for: { c }), d else { return }", 1),
        ("switch a {\ncase .repeat: b { }\ndefault: if c { d() }\n}", 2),
        ("f(if: { a }, where: { b })", 0),
    ])
    func `branches and loops within one another are counted`(body: String, depth: Int) throws {
        let function = try #require(Function.all(in: "func f() {\n\(body)\n}").first)
        #expect(function.nesting == depth)
    }

    @Test func `the requirement of a protocol has no body`() {
        let text =
            "protocol P {\n  func f(a: Int)\n    async throws -> Int\n  func g()\n}\nextension P { init(a: Int) {\n\n} }"
        #expect(Function.all(in: text).map(\.keyword) == ["init"])
    }

    @Test(arguments: [(60, 0), (61, 1)])
    func `a function has at most 60 lines`(lines: Int, violations: Int) {
        let text = "func f() {\n" + String(repeating: "a()\n", count: lines) + "}\n"
        #expect(Rules.functions(file(text)).count == violations)
    }

    @Test(arguments: [(400, 0), (401, 1)])
    func `a file has at most 400 lines`(lines: Int, violations: Int) {
        #expect(Rules.fileLength(file(String(repeating: "a()\n", count: lines))).count == violations)
    }

    @Test func `six parameters, or four branches within one another, are too many`() {
        let many =
            "func f(a: A, b: B, c: C, d: D, e: E, f: F) {}\ninit(a: A, b: B, c: C, d: D, e: E, f: F) {}"
        #expect(Rules.functions(file(many)).map(\.line) == [1])
        let deep = "func f() {\n    if a { if b { if c { if d { e() } } } }\n}"
        #expect(Rules.functions(file(deep)).map(\.line) == [1])
    }

    @Test(arguments: [
        "let a = Date()", "try! a()", "print(a)", "// TODO: a", "fatalError(\"unimplemented\")",
        "Task { a() }",
        "let a: Mutex<Int>", "final class A: @unchecked Sendable {",
        "try await Task.sleep(for: a)",
    ])
    func `a banned word is found`(line: String) {
        #expect(Rules.words(file(line)).count == 1)
    }

    @Test(arguments: [
        "let a = ServerDate()", "// print(a)", "\"Date()\"", "Task(executorPreference: a) { }",
        "footprint(a)",
        "print(a)  // tidy: allow word, the one line that a person asked for",
        "// tidy: allow word, the one line that a person asked for\nprint(a)",
    ])
    func `what only looks like a banned word is left alone`(text: String) {
        #expect(Rules.words(file(text)) == [])
    }

    @Test func `documents and scripts are searched for what is unfinished`() {
        #expect(Rules.words(file("TODO: say more", at: "docs/protocol.md")).count == 1)
        #expect(Rules.words(file("print(1)", at: "scripts/bench")) == [])
    }

    @Test(arguments: [
        ("Sources/InboxHTTP/A.swift", "import Postgres", 1),
        ("Sources/InboxStorage/A.swift", "package import InboxHTTP", 1),
        ("Sources/InboxService/A.swift", "import struct HTTPCore.Request", 1),
        ("Sources/InboxService/A.swift", "import CSodium", 1),
        ("Sources/InboxService/A.swift", "import COpenSSL", 1),
        ("Sources/Crypto/A.swift", "package import CSodium", 1),
        ("Sources/Crypto/A.swift", "@_exported import CSodium", 1),
        ("Simulator/Kit/A.swift", "import HTTPClient", 1),
        ("Tests/CryptoTests/A.swift", "import CSodium", 1),
        ("Sources/Crypto/A.swift", "import CSodium", 0),
        ("Sources/InboxHTTP/A.swift", "package import InboxService\nimport Foundation\nimport Platform", 0),
        ("Sources/martlet/A.swift", "import Postgres\nimport HTTPServer", 0),
        ("Tests/InboxHTTPTests/A.swift", "import Postgres", 0),
    ])
    func `an import outside of the table is found`(path: String, text: String, count: Int) {
        #expect(Imports.violations(file(text, at: path)).count == count)
    }

    @Test func `a rule that the reference model takes from elsewhere is found`() {
        let judged = ReferenceModel.names(
            declaredIn: [file("struct Draft {}\nextension Audience { var people: Int }\nfunc own() {}")])
        let model = [
            file("let a = audience.people\nfunc own() { a.own() }\n// Draft\nlet b: Draft\nf(people: 1)")
        ]
        #expect(ReferenceModel.violations(model, against: judged).map(\.line) == [1, 4])
    }

    @Test func `an empty type name is found`() {
        #expect(
            Rules.typeNames(file("struct A {}\nfinal class CacheManager {}\n// class AHelper")).map(\.line)
                == [2])
    }

    @Test func `an excuse without a reason is found`() {
        let text =
            "// tidy: allow word\n// tidy: allow words, because of that\n// tidy: allow word, because of that"
        #expect(Rules.excuses(file(text)).map(\.line) == [1, 2])
    }

    @Test(arguments: [
        (["0001-a.md", "0002-b.md"], []), (["0001-a.md", "0003-b.md"], ["0003-b.md"]),
        (["0001-a.md", "0001-b.md"], ["0001-b.md"]), (["0001a.md"], ["0001a.md"]),
        (["README.md"], ["README.md"]),
    ])
    func `a gap, a double and a name without number are found`(names: [String], faults: [String]) {
        #expect(Numbering.faults(in: names) == faults)
    }
}
