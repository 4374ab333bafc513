import EventLoop

/// A request that is sent once more over a connection of its own; its answer is thrown away.
final class Repetition {
    /// What became of it.
    enum Outcome {
        /// It was answered.
        case answered
        /// It has never reached a server.
        case unsent
        /// It may have taken effect, or still take it.
        case open
    }

    private let server: Endpoint
    private let request: [UInt8]
    private let loop: EventLoop
    private var isSent = false
    private var buffer = [UInt8](repeating: 0, count: 4_096)
    private var timer: LoopTimer?
    private var tell: ((Outcome) -> Void)?

    /// How long an answer may take; less than what clients wait.
    private static let answerWithin = Duration.seconds(5)

    init(_ request: [UInt8], over socket: Socket, on loop: EventLoop) {
        server = Endpoint(socket)
        self.request = request
        self.loop = loop
    }

    /// Sends it, and says once what became of it; unless `end` came first.
    func begin(_ tell: @escaping (Outcome) -> Void) {
        self.tell = tell
        timer = loop.timer(after: Repetition.answerWithin) { [weak self] in
            self?.timer = nil
            self?.finish(.open)
        }
        server.begin(on: loop, for: .write) { [weak self] in self?.isReady($0) }
    }

    /// Gives it up.
    func end() {
        tell = nil
        finish(.open)
    }

    private func isReady(_ events: WatchEvents) {
        if !isSent { return send() }
        if events.contains(.write), !server.flush() { return finish(.open) }
        if events.contains(.read) {
            switch server.receive(into: &buffer) {
            // The first byte tells that it has taken effect.
            case .passed: return finish(.answered)
            case .later: break
            case .ended, .broken: return finish(.open)
            }
        }
        server.look(whileOtherTakes: true)
    }

    private func send() {
        guard server.socket.connectFailure == 0 else { return finish(.unsent) }
        isSent = true
        guard server.give(request[...]) else { return finish(.open) }
        server.look(whileOtherTakes: true)
    }

    private func finish(_ outcome: Outcome) {
        guard !hasFinished else { return }
        hasFinished = true
        timer?.cancel()
        timer = nil
        server.end(byReset: true)
        let tell = tell
        self.tell = nil
        tell?(outcome)
    }

    private var hasFinished = false
}
