/// What an HTTP client takes from the servers it talks to, and what it asks of them.
package struct HTTPClientLimits: Sendable {
    /// Open connections to one server; beyond it requests wait for one.
    ///
    /// One keeps several dozen requests a second going even over a slow link.
    package var connections = 64

    /// Requests to one server that wait for a connection; beyond it `HTTPClientError.overloaded`.
    ///
    /// Their bodies are in memory meanwhile.
    package var waiting = 10_000

    /// Open streams; beyond it `HTTPClientError.overloaded`.
    ///
    /// One address has some 28,000 ports towards one server.
    package var streams = 20_000

    /// From sending a request, waiting for a connection included, to its whole answer, or to the head of a stream; then
    /// `.timedOut`.
    package var answerWithin = Duration.seconds(30)

    /// Largest body of an answer; beyond it `.badAnswer`.
    ///
    /// Of a stream the largest piece: one that is larger is never handed over, and nothing behind it.
    ///
    /// The largest inbox of 10,000 messages fits.
    package var bodyBytes = 64 << 20

    /// Largest head of an answer; beyond it `.badAnswer`.
    package var headBytes = 64 << 10

    package init() {}
}

/// Why there is no whole answer; in all cases but `overloaded`, `unusable` and `unreachable` the server may have acted.
package enum HTTPClientError: Error, Equatable {
    /// No connection could be made.
    case unreachable
    /// The connection ended before the answer did.
    case disconnected
    case timedOut
    /// Too many requests are waiting for a connection.
    case overloaded
    /// The answer is no HTTP, or larger than the limits.
    case badAnswer
    /// The request cannot be sent: `https`, or a line break in the target or a header field.
    case unusable
    /// The client has been closed.
    case closed
}
