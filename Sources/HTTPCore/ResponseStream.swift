/// The body of an answer that is sent piece by piece and has no end yet.
///
/// A handler makes it, keeps it, and returns it in `Response.stream`. Confined to the loop that serves the connection:
/// everything here happens there, `onClose` too.
package final class ResponseStream: @unchecked Sendable {
    // Touched on one loop's thread only: that makes the claim above true.

    /// Why a stream is over.
    package enum Reason: Sendable, Hashable {
        /// The client has gone, or was gone before it could be answered.
        case clientLeft
        /// The client takes less than it is sent; its connection has been reset.
        case slow
        /// The owner has ended the body, or the request wanted none (`HEAD`).
        case ended
        /// The server stops; what `onClose` sends is still sent.
        case draining
        /// Another stream would be too much: the client has been answered 503.
        case refused
    }

    private enum State {
        /// Nobody carries the stream yet: it waits for its answer to be sent.
        case made
        /// Ended while it waited.
        case ended
        case carried(any StreamCarrier)
        case closed
    }

    private var state = State.made
    /// What was sent while the stream waited.
    private var early: [UInt8] = []
    private var onClose: ((Reason) -> Void)?

    /// A stream for one answer; `onClose` is called exactly once when it is over.
    ///
    /// A stream that is over sends nothing more, except within `onClose(.draining)`. An answer that never reaches the
    /// server closes nothing.
    package init(onClose: @escaping (Reason) -> Void) {
        self.onClose = onClose
    }

    /// Whether pieces are still taken.
    package var isOpen: Bool {
        switch state {
        case .made, .carried: true
        case .ended, .closed: false
        }
    }

    /// Bytes that the client has not taken yet, beyond what the kernel holds for it.
    package var waitingBytes: Int {
        if case .carried(let carrier) = state { return carrier.waitingBytes }
        return early.count
    }

    /// Queues a piece of the body; does nothing when the stream is over.
    ///
    /// Pieces of one pass of the loop are written together at its end.
    package func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        switch state {
        case .made: early += bytes
        case .carried(let carrier): carrier.carry(bytes)
        case .ended, .closed: break
        }
    }

    /// Ends the body behind what has been sent; the connection may serve another request then.
    package func end() {
        switch state {
        case .made:
            state = .ended
        case .carried(let carrier):
            state = .closed
            carrier.endBody()
        case .ended, .closed:
            return
        }
        tell(.ended)
    }

    private func tell(_ reason: Reason) {
        let onClose = self.onClose
        self.onClose = nil
        onClose?(reason)
    }
}

/// What brings the pieces of a stream to its client: a connection of a server, or a test.
package protocol StreamCarrier: AnyObject {
    /// Bytes that wait for the client.
    var waitingBytes: Int { get }
    /// Takes a piece, which is not empty.
    func carry(_ bytes: [UInt8])
    /// No piece follows.
    func endBody()
}

// What the carrier of a stream does with it.
extension ResponseStream {
    /// Begins to carry the stream, whose head has been sent; pieces that waited come at once.
    package func begin(on carrier: any StreamCarrier) {
        let hasEnded: Bool
        switch state {
        case .made: hasEnded = false
        case .ended: hasEnded = true
        case .carried, .closed: preconditionFailure("a stream is the body of one answer")
        }
        state = .carried(carrier)
        if !early.isEmpty { carrier.carry(early) }
        early = []
        guard hasEnded else { return }
        state = .closed
        carrier.endBody()
    }

    /// Tells the owner that the stream is over for a reason that is not its own.
    ///
    /// After `.draining` the body is ended; else the carrier is not called again.
    package func close(_ reason: Reason) {
        guard isOpen else { return }
        if reason == .draining {
            tell(reason)
            end()
        } else {
            state = .closed
            early = []
            tell(reason)
        }
    }
}

extension ResponseStream: Equatable {
    /// Whether both are the same stream.
    package static func == (one: ResponseStream, other: ResponseStream) -> Bool { one === other }
}
