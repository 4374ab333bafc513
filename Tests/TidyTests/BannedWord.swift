/// A piece of text that code must not hold, and what to write instead.
struct BannedWord {
    var text: String
    var instead: String
    /// Whether comments and literals are searched too.
    var inComments = false
    /// Where it may stand all the same; each ends a folder or names a file.
    var allowedIn: [String] = []
    /// Whether it is for `Sources` and `Simulator` only.
    var inProductOnly = false

    /// Whether the word is looked for in `file`.
    func applies(to file: SourceFile) -> Bool {
        guard file.isSwift || inComments, !file.isTidyTest, !allowedIn.contains(where: file.path.hasPrefix)
        else { return false }
        return !(inProductOnly && file.isTest)
    }

    /// Whether `line` holds the word, and not merely a longer one that ends with it.
    func isFound(in line: String) -> Bool {
        var rest = line[...]
        while let range = rest.firstRange(of: text) {
            let before = line[..<range.lowerBound].last
            let isWhole = !(before?.isLetter ?? false) || !(text.first?.isLetter ?? false)
            if isWhole { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }

    /// All of them.
    static let all = otherWays + unfinished

    private static let unfinished = ["TODO", "FIXME"].map {
        BannedWord(text: $0, instead: "do it, or file an issue", inComments: true)
    }

    private static let otherWays = [
        BannedWord(text: "Date()", instead: "time comes from a clock that is passed in"),
        BannedWord(text: "try!", instead: "handle the error"),
        BannedWord(
            text: "print(", instead: "programs write through their console, the server through its log",
            allowedIn: ["Sources/martlet/CommandLine/Console.swift", "Simulator/Command/"]),
        BannedWord(text: "fatalError(\"un", instead: "write what is missing", inComments: true),
        BannedWord(text: "fatalError(\"not", instead: "write what is missing", inComments: true),
        BannedWord(text: "Mutex<", instead: "use Lock: the thread sanitizer misreads Mutex"),
        BannedWord(text: "Task.sleep", instead: "advance a clock, await the event, or use the loop's timer"),
        // These block by design, on the thread of a command: for a server or another process there is no event.
        BannedWord(
            text: "usleep(", instead: "await the event",
            allowedIn: [
                "Sources/Postgres/AdminConnection.swift", "Sources/PrivateCluster/Cluster.swift",
                "Sources/PrivateCluster/Files.swift",
            ]),
        BannedWord(text: "Thread.sleep", instead: "await the event"),
        BannedWord(
            text: "@unchecked Sendable", instead: "only the wrappers of C libraries may claim it",
            allowedIn: [
                "Sources/Platform/", "Sources/EventLoop/", "Sources/Postgres/", "Sources/HTTPServer/",
                "Sources/HTTPClient/", "Sources/Crypto/", "Tests/",
                // A loop confines them, which cannot be said where they are.
                "Sources/HTTPCore/ResponseStream.swift",
            ]),
        BannedWord(
            text: "ContinuousClock",
            instead: "time comes from a clock that is passed in, and no test asserts it",
            allowedIn: ["Sources/Platform/", "Sources/EventLoop/"]),
        BannedWord(
            text: "Task {", instead: "name the loop: Task(executorPreference:)", inProductOnly: true),
        BannedWord(
            text: "Task.detached", instead: "name the loop: Task(executorPreference:)", inProductOnly: true),
        BannedWord(
            text: ".randomElement()", instead: "pass a generator", allowedIn: ["Sources/Platform/"]),
        BannedWord(text: ".shuffled()", instead: "pass a generator", allowedIn: ["Sources/Platform/"]),
        BannedWord(text: ".random()", instead: "pass a generator", allowedIn: ["Sources/Platform/"]),
    ]
}
