/// What one process takes from its HTTP clients; each limit says what happens beyond it.
package struct HTTPLimits: Sendable {
    /// Largest body of a request; beyond it 413.
    ///
    /// A push with 100 long messages fits.
    package var bodyBytes = 5 << 20

    /// Bodies that are still arriving, in all connections of the process together; beyond it 503.
    ///
    /// They are buffered before anybody has proved who they are, so this bounds what strangers can make us hold.
    package var unfinishedBodyBytes = 256 << 20

    /// Largest head of a request; beyond it 400.
    ///
    /// Long enough for credentials, cookies and forwarding fields.
    package var headBytes = 16 << 10

    /// From a request's first byte to the end of its head; then 408.
    ///
    /// Slow phones need a second or two.
    package var headWithin = Duration.seconds(10)

    /// From the end of the head to the end of the body; then 408.
    ///
    /// Enough for the largest body at 1.4 Mbit/s.
    package var bodyWithin = Duration.seconds(30)

    /// From a whole request to its answer; then 503.
    ///
    /// What takes longer has been given up by its client.
    package var requestWithin = Duration.seconds(60)

    /// For taking an answer, or any byte of a stream; then the connection is closed.
    ///
    /// Enough for the largest inbox through a bad link.
    package var answerWithin = Duration.seconds(60)

    /// Without a request; then the connection is closed.
    ///
    /// Longer than the 60 s after which proxies and phones let go, so that it is seldom us.
    package var idle = Duration.seconds(75)

    /// Open connections of the process, streams among them; beyond it 503.
    ///
    /// Idle ones cost 10 kB with the kernel's part, and `ulimit -n` must leave room for the rest of the process.
    package var connections = 25_000

    /// Open connections of one address (IPv6: one /64); beyond it 503.
    ///
    /// An office behind one address fits.
    package var connectionsPerAddress = 1_000

    /// Addresses whose connections are not counted so: this machine, and proxies, which speak for many.
    package var uncountedAddresses: Set<String> = ["127.0.0.1", "::1"]

    /// Answers of the process that are open streams; beyond it 503 with `Retry-After`.
    ///
    /// So many less than `connections` that requests still have theirs. See `fit(descriptors:)`.
    package var streams = 20_000

    /// Bytes of a stream that the client has not taken and the kernel cannot hold; beyond it the stream's owner ends it,
    /// and what exceeds it by more than a word is reset.
    ///
    /// Hundreds of events, none of which is worth waiting for: the client connects again and asks what has changed.
    package var streamWaitingBytes = 64 << 10

    /// What comes on top of `streamWaitingBytes`, so that the owner's last look at it is followed by a last word.
    static let lastWordBytes = 1 << 10

    /// Connections that the kernel holds until the loop accepts them; beyond it they wait at the client.
    package var backlog: Int32 = 1_024

    package init() {}

    /// Lowers `streams` so that a process that may have so many descriptors open keeps 1,000 for everything else.
    package mutating func fit(descriptors: Int) {
        streams = min(streams, max(0, descriptors - 1_000))
    }

    /// How often the deadlines are looked at: a request may last so much longer than its limit.
    var sweepPeriod: Duration {
        let shortest = [headWithin, bodyWithin, requestWithin, answerWithin, idle].min() ?? .seconds(1)
        return min(max(shortest / 4, .milliseconds(10)), .seconds(1))
    }

    /// Bytes that one connection may have waiting, parsed or not: a whole request and what its framing costs.
    var waitingBytes: Int {
        bodyBytes + headBytes + 65_536
    }
}
