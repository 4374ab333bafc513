import InboxModel
import InboxService
import Testing

@testable import InboxStorage

@Suite struct HintPayloadTests {
    private func inboxes(_ numbers: some Sequence<Int>) -> [InboxID] {
        numbers.map { InboxID(rawValue: Int64($0)) }
    }

    /// What all payloads of a batch say together.
    private func said(_ texts: [String]) throws -> HintBatch {
        var sum = HintBatch()
        for text in texts { sum.add(try #require(HintPayload(text)).batch) }
        return sum
    }

    @Test func `what is written is read again, each inbox once`() throws {
        var batch = HintBatch()
        batch.add(inboxes([35, 36, 35]), of: AppID(rawValue: 1))
        batch.add(inboxes([Int(Int64.max)]), of: AppID(rawValue: .max))
        batch.add(AppID(rawValue: 40))
        batch.doubt(AppID(rawValue: 41))
        batch.doubtAll()
        let texts = HintPayload.texts(of: batch, from: 71)
        #expect(texts == ["1 1z ? 14! 15? 1=z,10 zik0zj=1y2p0ij32e8e7"])
        let payload = try #require(HintPayload(texts[0]))
        #expect(payload.instance == 71)
        #expect(payload.batch.apps == [AppID(rawValue: 40)])
        #expect(payload.batch.doubtfulApps == [AppID(rawValue: 41)] && payload.batch.isAllDoubtful)
        #expect(payload.batch.inboxes.map(\.inbox) == inboxes([35, 36, Int(Int64.max)]))
    }

    @Test func `no hints say that hints are wanted`() throws {
        let texts = HintPayload.texts(of: HintBatch(), from: 5)
        #expect(texts == ["1 5"] && HintPayload("1 5")?.batch.isEmpty == true)
    }

    @Test func `row 50: more than PostgreSQL takes in one notification goes in several`() throws {
        var batch = HintBatch()
        let large = Int(Int64.max) - 3000
        batch.add(inboxes(large..<large + 1500), of: AppID(rawValue: 1))
        batch.add(inboxes(large..<large + 1500), of: AppID(rawValue: 2))
        for app in 0..<3000 { batch.doubt(AppID(rawValue: Int32.max - Int32(app))) }
        let texts = HintPayload.texts(of: batch, from: .max)
        #expect(texts.count > 1)
        for text in texts { #expect(text.utf8.count <= HintPayload.mostBytes && text.utf8.count < 8000) }
        let sum = try said(texts)
        #expect(Set(sum.inboxes) == Set(batch.inboxes) && sum.inboxes.count == 3000)
        #expect(sum.doubtfulApps == batch.doubtfulApps)
    }

    @Test(arguments: [(3_000, false), (3_001, true)])
    func `of too many inboxes only the apps are named`(count: Int, isBeyond: Bool) throws {
        var batch = HintBatch()
        batch.add(inboxes(1..<count), of: AppID(rawValue: 1))
        batch.add(inboxes([1, 1]), of: AppID(rawValue: 2))
        let sum = try said(HintPayload.texts(of: batch, from: 1))
        #expect(sum.inboxes.isEmpty == isBeyond)
        #expect(sum.doubtfulApps == (isBeyond ? [AppID(rawValue: 1), AppID(rawValue: 2)] : []))
    }

    @Test(arguments: ["", "1", "2 5", "1 -", "1 5 7", "1 5 =1", "1 5 x", "1 5 $!", "hello world"])
    func `what is of another format is nothing`(text: String) {
        #expect(HintPayload(text) == nil)
    }
}
