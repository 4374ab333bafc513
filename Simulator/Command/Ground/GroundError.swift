import Foundation

/// Why the ground could not do something, with the last words of who failed.
struct GroundError: Error, CustomStringConvertible {
    /// What was not done.
    let what: String
    /// The last lines that were written about it.
    var lastLines: [String] = []
    /// Where more stands.
    var log: String?

    var description: String {
        ([what] + lastLines.map { "    \($0)" } + (log.map { ["more in \($0)"] } ?? []))
            .joined(separator: "\n")
    }

    /// An error that quotes the end of a log.
    static func failed(_ what: String, log: String) -> GroundError {
        GroundError(what: what, lastLines: Array(LogFile.lines(of: log).suffix(6)), log: log)
    }
}

/// A file that a program writes to.
enum LogFile {
    /// Its lines; none if it cannot be read.
    static func lines(of path: String) -> [String] {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Opens it to append to; makes it if it is not there.
    static func open(_ path: String) throws -> FileHandle {
        let manager = FileManager.default
        let isThere = manager.fileExists(atPath: path) || manager.createFile(atPath: path, contents: nil)
        guard isThere, let file = FileHandle(forWritingAtPath: path) else {
            throw GroundError(what: "\(path) cannot be written")
        }
        if path != "/dev/null" { try file.seekToEnd() }
        return file
    }
}
