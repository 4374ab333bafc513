import Foundation
import InboxWire

/// Where a command's answers go: the one place that prints.
struct Console: Sendable {
    /// Answers are JSON on standard output; everything else goes to standard error.
    let isJSON: Bool

    /// Answers in the form that was asked for.
    func show(_ lines: [String], json: @autoclosure () -> JSON) {
        if isJSON {
            print(String(decoding: JSONWriter.bytes { $0.value(json()) }, as: UTF8.self))
        } else {
            for line in lines { print(line) }
        }
    }

    /// A line of text as it is, on standard output.
    func say(_ line: String) { print(line, terminator: line.hasSuffix("\n") ? "" : "\n") }

    /// Whether somebody looks at standard error, who can see a line change.
    var isTerminal: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

    /// How far something has come, on standard error: in the place of the line before on a terminal, else below it.
    func showProgress(_ line: String) {
        guard isTerminal else { return note(line) }
        _ = try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(line)".utf8))
    }

    /// Leaves the last line of a progress where it is.
    func endProgress() {
        guard isTerminal else { return }
        _ = try? FileHandle.standardError.write(contentsOf: Data("\n".utf8))
    }

    /// A line on standard error: progress, warnings and errors.
    func note(_ line: String) {
        // One write, so that lines of threads do not mix. Where nobody reads any more, a server goes on without a log.
        _ = try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }
}

extension JSON {
    /// An object with its members in this order.
    static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        .object(members.map { JSONMember($0.key, $0.value) })
    }

    /// A whole number.
    static func int(_ value: some BinaryInteger) -> JSON { .number(JSONNumber(Int64(value))) }

    /// The text, or null.
    static func string(orNull text: String?) -> JSON { text.map { .string($0) } ?? .null }
}
