import HTTPCore
import InboxWire
import Platform
import ReferenceInbox
import SimulatorKit
import TestSupport
import Testing

/// Histories by chance over two shards and a real database, each answer held against the rules.
@Suite struct ModelTests {
    /// Half each, side by side.
    @Test(arguments: [1, 101])
    func `no answer of two servers over one database disagrees with the rules`(seed: UInt64) async throws {
        try await TwoShards.open { stage in
            let check = HistoryCheck(on: stage, features: .all, seed: seed)
            let finding = try await check.run(histories: 100)
            #expect(finding?.lines.joined(separator: "\n") == nil)
        }
    }

    @Test(arguments: StoreLapse.allCases)
    func `a store that breaks a rule is found`(lapse: StoreLapse) async throws {
        try await TwoShards.open(TwoShards.Options(lapse: lapse)) { stage in
            // What needs two requests at once is found now or later: how they meet is chance.
            let check = HistoryCheck(on: stage, features: .all, seed: 1)
            let finding = try #require(try await check.run(histories: 1000))
            // And a part without the meeting does not fail each time, so that it may stay longer than it must.
            #expect(finding.history.steps.count <= 24, "\(finding.lines.joined(separator: "\n"))")
        }
    }

    @Test func `a server that orders by time only is found`() async throws {
        try await TwoShards.open { stage in
            let check = HistoryCheck(on: Unordered(stage: stage), features: .all, seed: 1)
            let finding = try #require(try await check.run(histories: 100))
            #expect(finding.history.steps.count <= 8, "\(finding.lines.joined(separator: "\n"))")
        }
    }
}

/// A stage whose lists come in the order of their times, and those of one millisecond in any.
///
/// No store can do that: a view is sorted by what its messages say, however its rows came.
private struct Unordered: HistoryStage {
    let stage: TwoShards

    func call(_ request: Request, on server: Int) async throws -> Response {
        var response = try await stage.call(request, on: server)
        guard response.status == 200, request.path == "/v1/inbox",
            case .object(var members) = try JSON.parse(response.body),
            case .array(let messages)? = members.first?.value
        else { return response }
        let backwards = Array(messages.reversed())
        let ordered = backwards.indices.sorted { one, other in
            let (sent, otherSent) = (backwards[one]["sent"]?.text ?? "", backwards[other]["sent"]?.text ?? "")
            return sent == otherSent ? one < other : sent > otherSent
        }
        members[0].value = .array(ordered.map { backwards[$0] })
        response.body = JSONWriter.bytes { $0.value(.object(members)) }
        return response
    }

    func advanceClock(by duration: Duration) async throws -> Instant {
        try await stage.advanceClock(by: duration)
    }

    func makeApp(_ settings: ReferenceInbox.Settings) async throws -> AppKeys {
        try await stage.makeApp(settings)
    }
}
