import InboxModel
import InboxService
import Platform
import Testing

@Suite struct HintTests {
    private let acme = AppID(rawValue: 1)
    private let globex = AppID(rawValue: 2)
    private let hints = Hints()

    @Test func `a listener is woken once for all that comes until it takes it`() {
        let wakes = Lock(0)
        let listener = hints.watch { wakes.withLock { $0 += 1 } }
        hints.changed([InboxID(rawValue: 1)], of: acme)
        hints.changed([InboxID(rawValue: 1)], of: globex)
        hints.changed(globex)
        #expect(wakes.withLock { $0 } == 1)
        let batch = listener.take()
        #expect(
            batch.inboxes == [
                InboxKey(InboxID(rawValue: 1), of: acme), InboxKey(InboxID(rawValue: 1), of: globex),
            ])
        #expect(batch.apps == [globex])
        #expect(listener.take().isEmpty)
        hints.changed(acme)
        #expect(wakes.withLock { $0 } == 2 && listener.take().apps == [acme])
    }

    @Test func `nobody is woken for no inboxes, nor after leaving`() {
        let wakes = Lock(0)
        let listener = hints.watch { wakes.withLock { $0 += 1 } }
        hints.changed([], of: acme)
        hints.leave(listener)
        hints.changed(acme)
        #expect(wakes.withLock { $0 } == 0 && listener.take().isEmpty)
    }

    @Test func `what came from elsewhere goes to those who watch, not to those who would carry it on`() {
        let relay = hints.overhear {}
        let watcher = hints.watch {}
        var batch = HintBatch()
        batch.add([InboxID(rawValue: 3)], of: acme)
        batch.doubtAll()
        hints.pass(batch)
        #expect(relay.take().isEmpty)
        #expect(watcher.take() == batch)
        hints.changed(acme)
        #expect(relay.take().apps == [acme] && watcher.take().apps == [acme])
    }

    @Test func `the first who watches is noticed, whoever else listens`() {
        let times = Lock(0)
        hints.whenWatched { times.withLock { $0 += 1 } }
        let relay = hints.overhear {}
        #expect(times.withLock { $0 } == 0 && !hints.isWatched)
        let watchers = [hints.watch {}, hints.watch {}]
        #expect(times.withLock { $0 } == 1 && hints.isWatched)
        for watcher in watchers { hints.leave(watcher) }
        #expect(!hints.isWatched)
        hints.leave(hints.watch {})
        #expect(times.withLock { $0 } == 2)
        hints.leave(relay)
    }

    @Test(arguments: [(9_999, 1, false), (9_999, 2, true), (0, 10_001, true)])
    func `beyond the limit inboxes are not named, and their app is doubtful`(
        named: Int, added: Int, isBeyond: Bool
    ) {
        let listener = hints.watch {}
        func inboxes(_ count: Int) -> [InboxID] { (0..<count).map { InboxID(rawValue: Int64($0)) } }
        hints.changed(inboxes(named), of: acme)
        hints.changed(inboxes(added), of: globex)
        let batch = listener.take()
        #expect(batch.inboxes.count == (isBeyond ? named : named + added))
        #expect(batch.doubtfulApps == (isBeyond ? [globex] : []))
    }

    @Test func `batches are joined up to the limit, and one that does not fit makes its apps doubtful`() {
        var batch = HintBatch()
        batch.add((1..<HintBatch.mostInboxes).map { InboxID(rawValue: Int64($0)) }, of: acme)
        var one = HintBatch()
        one.add([InboxID(rawValue: 7)], of: globex)
        batch.add(one)
        #expect(batch.inboxes.count == HintBatch.mostInboxes && batch.doubtfulApps.isEmpty)
        batch.add(one)
        #expect(batch.inboxes.count == HintBatch.mostInboxes && batch.doubtfulApps == [globex])
    }

    @Test func `hints from many threads all arrive`() async {
        let seen = Lock<Set<Int64>>([])
        let box = Lock<HintListener?>(nil)
        let listener = hints.watch {
            guard let keys = box.withLock({ $0 })?.take().inboxes else { return }
            seen.withLock { $0.formUnion(keys.map(\.inbox.rawValue)) }
        }
        box.withLock { $0 = listener }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask { [hints, acme] in
                    for number in 0..<500 {
                        hints.changed([InboxID(rawValue: Int64(thread * 500 + number))], of: acme)
                    }
                }
            }
        }
        seen.withLock { $0.formUnion(listener.take().inboxes.map(\.inbox.rawValue)) }
        #expect(seen.withLock { $0.count } == 4000)
    }
}
