import Foundation
import InboxClient
import InboxModel
import Platform
import TestSupport
import Testing

@testable import StoreProbe

@Suite struct StoreCrashTests {
    /// Well above what a day has.
    private static let mostPoints = 400

    /// Devices beside one another, so that the disk of one does not hold up the others.
    private static let lanes = 4

    @Test(arguments: 1...StoreCrashTests.lanes)
    func `a device that dies at any point loses nothing, tells nothing wrong, and shows nothing wrong`(
        lane: Int
    ) async throws {
        let room = try StoreRoom()
        var judge = Judge()
        _ = FileManager.default.createFile(atPath: room.folder + "/log", contents: nil, attributes: nil)
        var point = lane
        var isWhole = false
        while !isWhole, point < StoreCrashTests.mostPoints {
            defer { point += StoreCrashTests.lanes }
            let day = try await ProbeRun.run(in: room, from: 10 * point, dyingAt: point)
            #expect(day.status == (day.isWhole ? 0 : SIGKILL), "\(day)")
            isWhole = day.isWhole
            try judge.hear(day.lines, room)
            #expect(judge.complaints == [], "after point \(point)")
            if !judge.complaints.isEmpty { return }
        }
        #expect(isWhole)
        #expect(point > 100, "there are more points than these")
        #expect(judge.repeats > 2, "what was told and not noted is told again")
        let stored = try room.store().load()
        #expect(stored.outbox.count == 0)
        #expect(stored.view(of: nil)?.rows == judge.server.rows.reversed())
    }
}

/// One day of a probe.
private struct ProbeRun {
    let lines: [String]
    let status: Int32
    var isWhole: Bool { lines.last == "settled" }

    static func run(in room: StoreRoom, from first: Int, dyingAt point: Int) async throws -> ProbeRun {
        let process = Process()
        let tests = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("StoreProbe")
        process.arguments = [room.path, room.folder + "/log", "\(first)", "\(point)"]
        let output = Pipe()
        process.standardOutput = output
        let (ends, end) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try process.run()
        let status = await ends.first { _ in true }
        // A few lines, which the pipe holds: nobody had to read them meanwhile.
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return ProbeRun(lines: text.split(separator: "\n").map(String.init), status: status ?? -1)
    }
}

/// Holds what is on the disk after each death against what the user was told.
private struct Judge {
    var server = ProbeServer()
    private(set) var complaints: [String] = []
    /// Marks that the server was told of again although it knew.
    private(set) var repeats = 0
    private var linesRead = 0
    private var tried: [Int: [String]] = [:]
    private var done: [Int: [String]] = [:]
    private var told: Set<String> = []

    mutating func hear(_ lines: [String], _ room: StoreRoom) throws {
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, let number = Int(words[2]) else { continue }
            if words[0] == "try" { tried[number, default: []].append(words[1]) }
            if words[0] == "ok" { done[number, default: []].append(words[1]) }
        }
        try readLog(room)
        let store = try room.store()
        if store.opening != .opened { complaints.append("the store was \(store.opening)") }
        judge(try store.load())
        store.close()
    }

    private mutating func readLog(_ room: StoreRoom) throws {
        let text = try String(contentsOfFile: room.folder + "/log", encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        for line in lines.dropFirst(linesRead) {
            let before = server.rows
            server.take(line)
            guard ["read", "unread", "delete"].contains(where: line.hasPrefix) else { continue }
            guard !told.insert(line).inserted else { continue }
            repeats += 1
            if server.rows != before { complaints.append("\(line) came again and changed something") }
        }
        linesRead = lines.count
    }

    private mutating func judge(_ stored: StoredInbox) {
        let pending = Set(
            stored.outbox.stretches.flatMap(\.marks).map { "\($0.mark.rawValue) \($0.message.halves.low)" })
        let shown = SyncCore(stored, seed: 1).shown(at: Instant(seconds: 1_800_000_000))
        for row in shown.rows where row.place == .person && stored.outbox.login.person == nil {
            complaints.append("\(row.id) is ana's, who is not logged in")
        }
        for (number, marks) in done {
            let row = shown.row(of: ProbeServer.id(number))
            // What was tried and not acknowledged may count, or not.
            let last = tried[number] == marks ? marks.last : nil
            if let last, !pending.contains("\(last) \(number)"), !told.contains("\(last) \(number)") {
                complaints.append("\(last) of \(number) is lost")
            }
            if marks.contains("delete"), row != nil { complaints.append("\(number) is back") }
            if last == "read", row?.isUnread == true { complaints.append("\(number) is unread again") }
            if last == "unread", row?.isUnread == false { complaints.append("\(number) is read again") }
        }
    }
}
