import Foundation
import SimulatorKit

/// Runs `simulator report`: 0 every inbox was right, 1 one was not, 2 there is no report.
func runReport(_ words: [String]) -> Int32 {
    do {
        let arguments = try ReportArguments(words)
        let record = try merged(arguments.files)
        for line in RunTable(record).lines { say(line) }
        if let path = arguments.page { try write(Array(RunPage(record).html.utf8), to: path) }
        if let path = arguments.record { try write(json(of: record), to: path) }
        return record.verdict.isRight ? 0 : 1
    } catch {
        for problem in error.problems { note("simulator report: \(problem)") }
        note("`simulator report --help` says more")
        return 2
    }
}

/// The record of the whole run that the files share.
func merged(_ files: [String]) throws(UsageError) -> RunRecord {
    var (records, problems): ([RunRecord], [String]) = ([], [])
    for file in files {
        do {
            records.append(try readRecord(file))
        } catch {
            problems += error.problems
        }
    }
    guard problems.isEmpty else { throw UsageError(problems: problems) }
    do {
        return try RunRecord.merged(records)
    } catch {
        throw UsageError(problems: [error.words])
    }
}

private func readRecord(_ file: String) throws(UsageError) -> RunRecord {
    let data: Data
    do {
        data = try Data(contentsOf: URL(filePath: file))
    } catch {
        throw UsageError(problems: ["\(file) cannot be read: \(reason(of: error))"])
    }
    do {
        return try RunRecord(json: Array(data))
    } catch {
        throw UsageError(problems: ["\(file) \(error.words)"])
    }
}

/// Why a file can certainly not be written; nothing if it may be.
func whyUnwritable(_ path: String) -> String? {
    let files = FileManager.default
    var isFolder: ObjCBool = false
    if unsafe files.fileExists(atPath: path, isDirectory: &isFolder) {
        if isFolder.boolValue { return "it is a folder" }
        return files.isWritableFile(atPath: path) ? nil : "permission denied"
    }
    let folder = URL(filePath: path).deletingLastPathComponent().path
    guard files.fileExists(atPath: folder) else { return "there is no such folder" }
    return files.isWritableFile(atPath: folder) ? nil : "permission denied"
}

/// Writes a file in place, so that a device or a link stays what it is.
func write(_ bytes: [UInt8], to path: String) throws(UsageError) {
    do {
        try Data(bytes).write(to: URL(filePath: path))
    } catch {
        throw UsageError(problems: ["\(path) cannot be written: \(reason(of: error))"])
    }
}

/// The bytes of a record's file, a line's end behind them.
func json(of record: RunRecord) throws(UsageError) -> [UInt8] {
    do {
        return try record.json() + [UInt8(ascii: "\n")]
    } catch {
        throw UsageError(problems: ["the record cannot be written as JSON: \(error)"])
    }
}

/// What the system says of a file.
func reason(of error: any Error) -> String {
    guard let code = (error as? CocoaError)?.code else { return error.localizedDescription }
    return if [.fileReadNoSuchFile, .fileNoSuchFile].contains(code) {
        "there is no such file or folder"
    } else if [.fileReadNoPermission, .fileWriteNoPermission].contains(code) {
        "permission denied"
    } else if code == .fileWriteOutOfSpace {
        "the disk is full"
    } else {
        error.localizedDescription
    }
}
