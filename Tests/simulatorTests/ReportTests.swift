import Foundation
import Platform
import SimulatorKit
import Testing

@testable import simulator

struct ReportTests {
    @Test func `files, page and record are taken in any order`() throws {
        let arguments = try ReportArguments(["a.json", "--html", "p.html", "b.json", "--json=o.json"])
        #expect(arguments.files == ["a.json", "b.json"])
        #expect(arguments.page == "p.html" && arguments.record == "o.json")
    }

    @Test(arguments: [
        ([], "name the records: FILE…"), (["a", "--html"], "--html needs a value"),
        (["a", "--json="], "--json needs a value"), (["a", "--speed", "5"], "there is no option --speed"),
    ])
    func `what is wrong is named`(words: [String], problem: String) {
        let error = #expect(throws: UsageError.self) { try ReportArguments(words) }
        #expect(error?.problems.contains(problem) == true)
    }

    /// Gives `body` a folder that is gone afterwards.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "report-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
        }
        try body(folder)
    }

    private func record(shard: Int = 1, of count: Int = 1, right: Int = 1) -> RunRecord {
        var record = RunRecord(
            "a run", run: "r", by: "t", started: Instant(seconds: 0), loadTime: .seconds(1),
            verdict: RunVerdict(devices: 1, right: right))
        record.shards = RunShards(shard, of: count)
        return record
    }

    @Test func `shards become a page and a record that can be reported again`() throws {
        try withFolder { folder in
            let paths = ["1.json", "2.json", "page.html", "all.json"].map { folder.appending(path: $0).path }
            try write(json(of: record(shard: 1, of: 2)), to: paths[0])
            try write(json(of: record(shard: 2, of: 2)), to: paths[1])
            #expect(
                simulate(["report", paths[1], paths[0], "--html", paths[2], "--json", paths[3]], [:]) == 0)
            #expect(try String(contentsOfFile: paths[2], encoding: .utf8).contains("2 of 2"))
            #expect(simulate(["report", paths[3]], [:]) == 0)
        }
    }

    @Test func `a wrong inbox ends with 1`() throws {
        try withFolder { folder in
            let path = folder.appending(path: "wrong.json").path
            try write(json(of: record(right: 0)), to: path)
            #expect(simulate(["report", path], [:]) == 1)
        }
    }

    @Test func `each file that is no record is named with the reason`() throws {
        try withFolder { folder in
            let paths = ["none.json", "text.json", "new.json"].map { folder.appending(path: $0).path }
            try write(Array("hello".utf8), to: paths[1])
            try write(Array(#"{"format":"martlet-run","version":9}"#.utf8), to: paths[2])
            let error = #expect(throws: UsageError.self) { try merged(paths) }
            #expect(
                error?.problems == [
                    "\(paths[0]) cannot be read: there is no such file or folder",
                    "\(paths[1]) is no record of a run",
                    "\(paths[2]) is a record of format 9; this program reads format 1",
                ])
        }
    }

    @Test func `shards that are missing are named`() throws {
        try withFolder { folder in
            let path = folder.appending(path: "1.json").path
            try write(json(of: record(shard: 2, of: 3)), to: path)
            let error = #expect(throws: UsageError.self) { try merged([path]) }
            #expect(error?.problems == ["the record of shards 1, 3 of 3 is missing"])
            #expect(
                #expect(throws: UsageError.self) { try merged([path, path]) }?.problems == [
                    "there are two records of shard 2"
                ])
        }
    }

    @Test func `an output that cannot be written is named`() throws {
        try withFolder { folder in
            let (path, page) = (
                folder.appending(path: "1.json").path, folder.appending(path: "no/page.html").path
            )
            try write(json(of: record()), to: path)
            #expect(simulate(["report", path, "--html", page], [:]) == 2)
            let error = #expect(throws: UsageError.self) { try write([], to: page) }
            #expect(error?.problems == ["\(page) cannot be written: there is no such file or folder"])
        }
    }

    @Test(
        arguments: [(["report", "--help"], 0), (["report"], 2), (["report", "/nowhere"], 2)]
            as [([String], Int32)])
    func `a command line that is wrong ends with 2`(words: [String], status: Int32) {
        #expect(simulate(words, [:]) == status)
    }

    @Test func `a view is drawn on a terminal only, and in colour unless that is unwanted`() {
        func mode(_ environment: [String: String], isTerminal: Bool = true, isQuiet: Bool = false)
            -> LiveScreen.Mode
        {
            LiveScreen.mode(isQuiet: isQuiet, isTerminal: isTerminal, environment: environment)
        }
        #expect(mode([:]) == .drawn(isColoured: true))
        #expect(mode(["NO_COLOR": "1"]) == .drawn(isColoured: false))
        #expect(mode(["NO_COLOR": ""]) == .drawn(isColoured: true))
        #expect(mode(["TERM": "dumb"]) == .lines)
        #expect(mode([:], isTerminal: false) == .lines)
        #expect(mode([:], isQuiet: true) == .hidden)
    }
}
