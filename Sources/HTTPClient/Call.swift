internal import EventLoop
internal import HTTPCore

/// A request on its way: it waits for a connection, then for its answer, and ends exactly once.
final class Call: @unchecked Sendable {
    // Made anywhere, then touched on the loop's thread only: that makes the claim above true.

    let request: Request
    private let loop: EventLoop
    private var continuation: CheckedContinuation<Response, any Error>?
    private var timer: LoopTimer?
    private(set) var isOver = false
    /// Whether the call has been sent again already.
    var isRepeated = false
    /// The connection that carries the call.
    weak var connection: ClientConnection?

    init(_ request: Request, _ loop: EventLoop) {
        self.request = request
        self.loop = loop
    }

    /// Starts the deadline; false if the task was cancelled before.
    func begin(within limit: Duration, _ continuation: CheckedContinuation<Response, any Error>) -> Bool {
        guard !isOver else {
            continuation.resume(throwing: CancellationError())
            return false
        }
        self.continuation = continuation
        timer = loop.timer(after: limit) { [weak self] in self?.fail(HTTPClientError.timedOut) }
        return true
    }

    func succeed(_ response: Response) {
        end(.success(response))
    }

    /// Ends the call; a connection that carries it is of no more use.
    func fail(_ error: any Error) {
        end(.failure(error))
        connection?.abandon()
    }

    /// Whether the request may be sent again although the server may have acted.
    var canRepeat: Bool {
        switch request.method {
        case .get, .head, .options: !isRepeated && !isOver
        default: false
        }
    }

    private func end(_ result: Result<Response, any Error>) {
        isOver = true
        timer?.cancel()
        timer = nil
        continuation?.resume(with: result)
        continuation = nil
    }
}
