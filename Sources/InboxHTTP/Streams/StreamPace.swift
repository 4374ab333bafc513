/// How streams of a shard behave; times are those of its loop.
package struct StreamPace: Sendable {
    /// How often a stream says that it is there: sooner than the 30 to 60 s after which proxies give up.
    package var heartbeat = Duration.seconds(15)
    /// How often revisions are read, to find what no hint told of.
    package var poll = Duration.seconds(2)
    /// Heartbeats after which a stream's credential is looked up again: a rotation elsewhere raises no revision.
    package var heartbeatsPerLookup = 4
    /// Streams that are told of a broadcast in one pass of the loop, so that requests keep their turn.
    package var streamsPerPass = 200
    /// Streams of an app beyond which a broadcast is spread, if the app does not say: clients that refresh in a second.
    package var refreshesPerSecond = 1000
    /// The longest that is chosen so.
    package var longestSpread = 60
    /// Bytes that a client has not taken, beyond what the kernel holds for it, before it is let go at the next word.
    ///
    /// Hundreds of events.
    package var waitingBytes = 64 << 10

    package init() {}

    /// Turns of a shard's streams after which all revisions have been read once.
    var turnsPerPoll: Int {
        let turn = heartbeat / EventStreams.bucketCount
        return max(1, Int(poll / turn))
    }

    /// Over how many seconds clients spread their refresh after a broadcast, where the app leaves it open.
    func spread(over streams: Int) -> Int {
        guard streams > refreshesPerSecond else { return 0 }
        return min(longestSpread, (streams + refreshesPerSecond - 1) / refreshesPerSecond)
    }
}
