import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@testable import InboxHTTP

/// Broadcasts to many streams.
@Suite(.timeLimit(.minutes(10)))
struct BroadcastTests {
    @Test func `row 71: a broadcast reaches all streams in slices, between which requests are answered`()
        async throws
    {
        var pace = StreamPace()
        (pace.streamsPerPass, pace.refreshesPerSecond) = (10, 20)
        var limits = Limits()
        limits.streamsPerCredential = 1000
        try await DeviceStage.open(limits: limits, pace: pace) { stage in
            let phone = try await Phone.register(stage)
            var watchers: [Watcher] = []
            for _ in 0..<300 { watchers.append(try await phone.watch()) }
            var isAnsweredBetween = false
            for broadcast in 1...20 where !isAnsweredBetween {
                try await stage.backend.send(to: .everyone, in: stage.acme)
                #expect(await watchers[0].next()?.data == #"{"within":15}"#)
                // 30 slices take as many passes; this call takes a few, unless this task is kept from the processor.
                #expect(await stage.call(.get, "/readyz").status == 200)
                isAnsweredBetween = watchers.contains { $0.all.count == broadcast }
                for watcher in watchers[1...] { #expect(await watcher.next()?.data == #"{"within":15}"#) }
            }
            #expect(isAnsweredBetween, "others had their turn before all were told")
        }
    }

    @Test(arguments: [
        (1, 0), (1_000, 0), (1_001, 2), (2_000, 2), (2_001, 3), (60_000, 60), (1_000_000, 60),
    ])
    func `the more streams an app has, the longer its clients spread their refresh`(
        streams: Int, seconds: Int
    ) {
        #expect(StreamPace().spread(over: streams) == seconds)
    }

    @Test func `the app's own setting counts, also for few streams`() async throws {
        try await DeviceStage.open { stage in
            try await stage.script("UPDATE apps SET broadcast_spread_seconds = 3600")
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            try await stage.backend.send(to: .everyone, in: stage.acme)
            #expect(await watcher.next()?.data == #"{"within":3600}"#)
        }
    }

    @Test func `a broadcast on one instance reaches the streams of another`() async throws {
        try await DeviceStage.open(pace: .blind) { stage in
            let phone = try await Phone.register(stage)
            try await stage.onLinkedInstance { other, link in
                let watcher = try await phone.watch()
                await link.becomesAsked()
                let message = #"{"audience":"all","message":{"title":"Hi","body":"<p>Hi</p>"}}"#
                let sent = await other.call(.post, "/v1/messages", stage.acme.masterBasic, message)
                #expect(sent.status == 202, "\(sent.text)")
                #expect(await watcher.next()?.data == #"{"within":0}"#)
            }
        }
    }

    @Test func `a broadcast that a look-up of credentials has found first is told with its time to spread`()
        async throws
    {
        var pace = StreamPace()
        (pace.heartbeat, pace.poll, pace.heartbeatsPerLookup) = (.milliseconds(120), .seconds(3600), 1)
        try await DeviceStage.open(pace: pace) { stage in
            try await stage.script("UPDATE apps SET broadcast_spread_seconds = 7")
            let watchers = [
                try await Phone.register(stage).watch(), try await Phone.register(stage).watch(),
            ]
            try await stage.onAnotherInstance { other in
                for _ in 0..<2 {
                    let sent = try await other.send(to: #""all""#)
                    #expect(sent["state"]?.asText == "sent")
                    for watcher in watchers { #expect(await watcher.next()?.data == #"{"within":7}"#) }
                }
            }
        }
    }

    @Test func `a broadcast during a round of the same app is told to all who have not heard of it`()
        async throws
    {
        var pace = StreamPace()
        pace.streamsPerPass = 1
        try await DeviceStage.open(pace: pace) { stage in
            let phone = try await Phone.register(stage)
            var watchers: [Watcher] = []
            for _ in 0..<10 { watchers.append(try await phone.watch()) }
            for _ in 0..<5 { try await stage.backend.send(to: .everyone, in: stage.acme) }
            for (index, watcher) in watchers.enumerated() {
                while await stage.shard.toldRevision(index) < 5 {
                    #expect(await watcher.next()?.name == "changed")
                }
            }
        }
    }
}

extension Shard {
    /// Of which revision of its app a stream was told, by the order of opening.
    fileprivate func toldRevision(_ index: Int) -> Int64 {
        desk.streams.all()[index].state.appRevision.rawValue
    }
}
