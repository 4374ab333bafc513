internal import EventLoop
package import HTTPCore

extension HTTPClient: StreamTransport {
    /// Opens the stream on the loop; to be called from anywhere.
    package func openStream(
        _ request: Request, to base: BaseURL, _ handle: @escaping @Sendable (StreamPart) -> Void
    ) -> any OpenStream {
        let stream = LoopStream(loop)
        loop.execute {
            stream.begin {
                self.open(request, to: base) { event in
                    switch event {
                    case .head(let response): handle(.head(response))
                    case .piece(let bytes): handle(.bytes(bytes))
                    case .ended, .failed: handle(.end)
                    }
                }
            }
        }
        return stream
    }
}

/// A stream of a loop that others may cancel.
private final class LoopStream: OpenStream, @unchecked Sendable {
    // `state` is touched on the loop's thread only: that makes the claim above true.

    private let loop: EventLoop
    private var state = State.new

    private enum State {
        case new
        case open(ClientStream)
        case cancelled
    }

    init(_ loop: EventLoop) { self.loop = loop }

    func begin(_ open: () -> ClientStream) {
        switch state {
        case .new: state = .open(open())
        case .open, .cancelled: break
        }
    }

    func cancel() {
        loop.execute { [self] in
            if case .open(let stream) = state { stream.cancel() }
            state = .cancelled
        }
    }
}
