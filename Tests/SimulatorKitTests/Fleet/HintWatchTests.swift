import Testing

@testable import SimulatorKit

/// Who must hear of what over a stream, and when somebody is blamed for a silence.
struct HintWatchTests {
    /// Two devices, whose streams at two servers are open since 100 ms; patience is three looks.
    private func watch() -> HintWatch {
        var watch = HintWatch(devices: 2, servers: 2, patience: 3)
        for device in 0..<2 { watch.opened(device, at: 100) }
        return watch
    }

    /// So many looks, at each of which the servers answer something.
    private func looks(_ count: Int, _ watch: inout HintWatch) -> [HintWatch.Missed] {
        (0..<count).flatMap { _ in
            for server in 0..<2 { watch.answered(by: server, askedAt: watch.look) }
            return watch.takeLook()
        }
    }

    @Test func `a change that no hint tells of is missed once the patience is over`() {
        var watch = watch()
        watch.changed(7, on: 1, since: 150, at: 200)
        #expect(looks(4, &watch) == [])
        #expect(looks(1, &watch) == [HintWatch.Missed(device: 1, message: 7, changed: 200)])
        #expect(looks(9, &watch) == [])
        #expect((watch.counts.expected, watch.counts.heard) == (1, 0))
    }

    @Test(arguments: [150, 180, 300])
    func `a hint counts from when the change began, and comes before or after its answer`(heard: Int64) {
        var watch = watch()
        if heard <= 200 { watch.heard(0, at: heard) }
        watch.changed(7, on: 0, since: 150, at: 200)
        if heard > 200 { watch.heard(0, at: heard) }
        #expect(looks(9, &watch) == [])
        #expect((watch.counts.expected, watch.counts.heard) == (1, 1))
    }

    @Test func `a hint from before the change began does not count`() {
        var watch = watch()
        watch.heard(0, at: 149)
        watch.changed(7, on: 0, since: 150, at: 200)
        #expect(looks(9, &watch).map(\.message) == [7])
    }

    @Test func `one hint tells of all that changed before it`() {
        var watch = watch()
        for message in 1...3 { watch.changed(message, on: 0, since: 150, at: 200) }
        watch.heard(0, at: 250)
        #expect(looks(9, &watch) == [])
        #expect((watch.counts.expected, watch.counts.heard) == (1, 1))
    }

    @Test func `of several changes without a hint the oldest is missed`() {
        var watch = watch()
        for message in 1...3 { watch.changed(message, on: 0, since: 150, at: 200) }
        #expect(looks(9, &watch).map(\.message) == [1])
    }

    @Test(arguments: [100, 90])
    func `a stream that opened while the change was under way owes nothing`(start: Int64) {
        var watch = watch()
        watch.changed(7, on: 0, since: start, at: 200)
        #expect(looks(9, &watch) == [])
        #expect(watch.counts == HintCounts())
    }

    @Test func `a stream that ends or begins anew owes nothing any more`() {
        var watch = watch()
        for device in 0..<2 { watch.changed(7, on: device, since: 150, at: 200) }
        watch.closed(0)
        watch.opened(1, at: 300)
        watch.changed(8, on: 0, since: 350, at: 400)
        #expect(looks(9, &watch) == [])
        #expect((watch.counts.expected, watch.counts.unjudged) == (2, 2))
    }

    @Test func `a server that has answered nothing since is not blamed until it does`() {
        var watch = watch()
        watch.changed(7, on: 1, since: 150, at: 200)
        for _ in 0..<9 {
            watch.answered(by: 0, askedAt: watch.look)
            #expect(watch.takeLook() == [])
        }
        watch.answered(by: 1, askedAt: 4)
        #expect(watch.takeLook() == [])
        watch.answered(by: 1, askedAt: 5)
        #expect(watch.takeLook().map(\.device) == [1])
    }

    @Test func `what failed excuses all`() {
        var watch = watch()
        watch.changed(7, on: 0, since: 150, at: 200)
        watch.excuseAll()
        #expect(looks(9, &watch) == [])
        #expect((watch.counts.expected, watch.counts.unjudged) == (1, 1))
    }
}
