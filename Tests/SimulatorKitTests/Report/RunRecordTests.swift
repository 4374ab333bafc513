import Foundation
import Platform
import Testing

@testable import SimulatorKit

struct RunRecordTests {
    @Test func `a file gives the same record back, and equal records are equal files`() throws {
        let record = RunSample.wrong()
        let json = try record.json()
        #expect(try RunRecord(json: json) == record)
        #expect(try RunRecord(json: json).json() == json)
    }

    @Test(arguments: [
        ("", RecordError.noRecord), ("[1]", .noRecord), (#"{"format":"other","version":1}"#, .noRecord),
        (#"{"format":"martlet-run","version":2}"#, .otherVersion(2)),
        (#"{"format":"martlet-run","version":1}"#, .damaged("tool is missing")),
    ])
    func `what is no record is told apart`(json: String, error: RecordError) {
        #expect(throws: error) { try RunRecord(json: Array(json.utf8)) }
    }

    @Test(arguments: ["9223372036854775807", "-1"])
    func `a record with numbers that no run has is refused`(_ number: String) throws {
        let text = String(decoding: try RunSample.record().json(), as: UTF8.self)
        let damaged = text.replacing(/"checked":[0-9]+/, with: "\"checked\":\(number)")
        #expect(damaged != text)
        #expect(throws: RecordError.damaged("it holds numbers that no run has")) {
            try RunRecord(json: Array(damaged.utf8))
        }
    }

    @Test func `a damaged record names the place`() throws {
        let text = String(decoding: try RunSample.record().json(), as: UTF8.self)
        let damaged = text.replacing("\"width_s\":1", with: "\"width_s\":\"x\"")
        let error = #expect(throws: RecordError.self) { try RunRecord(json: Array(damaged.utf8)) }
        #expect(error?.words.hasPrefix("is a damaged record: totals.timeline.width_s: ") == true)
    }

    @Test func `shards in any order make the whole`() throws {
        let records = (1...3).map { RunSample.record(shard: $0, of: 3, seed: UInt64($0)) }
        let whole = try RunRecord.merged([records[2], records[0], records[1]])
        #expect(whole.shards.missing == [])
        let answers = records.map(\.totals.answers.count).reduce(0, +)
        #expect(whole.totals.answers.count == answers)
        #expect(whole.totals.timeline.slices.reduce(0) { $0 + $1.answers } == answers)
        #expect(whole.totals.lag.count == whole.totals.reach.received)
        #expect(whole.verdict == RunVerdict(devices: 15_000, right: 15_000))
        #expect(whole.loadTime == .seconds(30))
        #expect(whole.own.cpu == .milliseconds(29_190))
        #expect(try RunRecord.merged(records) == whole)
    }

    @Test func `shards that began one after another are laid side by side in time`() throws {
        var records = (1...2).map { RunSample.record(seconds: 10, shard: $0, of: 2) }
        records[0].started = records[1].started.adding(seconds: 3)
        let whole = try RunRecord.merged(records)
        #expect(whole.started == records[1].started)
        #expect(whole.loadTime == .seconds(13))
        let alone = records[0].totals.timeline.slices.map(\.answers)
        let together = whole.totals.timeline.slices.map(\.answers)
        #expect(together.count == 13)
        #expect(together.prefix(3) == alone.prefix(3) && together.suffix(3) == alone.suffix(3))
    }

    @Test func `one wrong shard makes the whole wrong`() throws {
        var wrong = RunSample.wrong()
        wrong.shards = RunShards(2, of: 2)
        let whole = try RunRecord.merged([RunSample.record(shard: 1, of: 2), wrong])
        #expect(whole.verdict.first.map { $0.hasPrefix("shard 2: at 3.201 s: ") } == [true])
        #expect(!whole.verdict.isRight)
        #expect(
            whole.verdict.words.hasPrefix("WRONG: 9,998 of 10,000 inboxes were right, 4 differences; gave up")
        )
    }

    @Test func `records that are not one whole run are refused`() {
        func merge(_ shards: [(Int, Int)], run: String = "Kx3vT0aB") throws {
            var records = shards.map { RunSample.record(seconds: 1, shard: $0.0, of: $0.1) }
            records[0].run = run
            _ = try RunRecord.merged(records)
        }
        #expect(throws: RecordError.otherRun("another", "Kx3vT0aB")) {
            try merge([(1, 2), (2, 2)], run: "another")
        }
        #expect(throws: RecordError.otherCount(2, 3)) { try merge([(1, 2), (2, 3)]) }
        #expect(throws: RecordError.twice([2])) { try merge([(1, 3), (2, 3), (2, 3)]) }
        #expect(throws: RecordError.missing([1, 3], of: 4)) { try merge([(2, 4), (4, 4)]) }
        #expect(throws: RecordError.missing([2], of: 2)) { try merge([(1, 2)]) }
    }

    @Test func `the simulator says when it was the limit`() {
        var own = OwnLoad()
        #expect(own.warning == nil)
        own.cpuShare.add(0.9)
        for _ in 0..<100 { own.loopLag.add(.milliseconds(50)) }
        #expect(own.warning == nil)
        own.cpuShare.add(0.96)
        own.loopLag.add(.milliseconds(120))
        own.loopLag.add(.milliseconds(120))
        #expect(own.limits == ["it took 93 % of a core", "its own timers were up to 120 ms late (p99)"])
    }

    @Test func `a verdict is that of the findings`() {
        var findings = Findings()
        findings.add(Difference(.missing, device: 3, message: 1, in: ("list", 2500)))
        let verdict = RunVerdict(findings, devices: 5, right: 4)
        #expect(verdict.differences == ["misses a message": 1])
        #expect(verdict.first == ["at 2.500 s: device 3: list misses a message: message 1"])
        #expect(!verdict.isRight)
    }

    @Test func `a run that was ended before all was compared is neither right nor wrong`() {
        var verdict = RunVerdict(devices: 50, right: 47, wasInterrupted: true)
        #expect(verdict.outcome == .undecided)
        #expect(
            verdict.words
                == "UNDECIDED: nothing was wrong, 47 of 50 inboxes were compared; the run was interrupted")
        verdict.right = 50
        #expect(verdict.outcome == .right)
        verdict.differences = ["misses a message": 1]
        #expect(verdict.outcome == .wrong)
        #expect(RunVerdict(devices: 50, right: 47).outcome == .wrong)
        let abandoned = RunVerdict(devices: 50, right: 47, wasAbandoned: true, wasInterrupted: true)
        #expect(abandoned.outcome == .wrong)
    }

    @Test func `reasons beyond a bound are counted together`() {
        var counts = ReasonCounts()
        for number in 0..<100 { counts.add("reason \(number)") }
        #expect(counts.byReason.count == ReasonCounts.most + 1)
        #expect(counts.byReason[ReasonCounts.others] == 100 - ReasonCounts.most)
        #expect(counts.total == 100)
    }
}
