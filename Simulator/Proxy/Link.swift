import EventLoop
import Platform
import SimulatorKit

/// A client's connection and the one to a server that carries it, with the fate of the request that is under way.
///
/// A request is what the client sends until the server answers: nothing is parsed.
final class Link {
    /// Where in the course of requests it is.
    enum Phase {
        case connecting, idle, asking, answering
    }

    let client: Endpoint
    private(set) var server: Endpoint?
    let traffic: Traffic
    var dice: SeededRandom
    var phase = Phase.connecting
    var fate = Fate.none
    /// The request so far, while it may have to be sent again; nothing when it is too long.
    var request: [UInt8]? = []
    /// What it waits for, and what then happens.
    var hold: Hold?
    /// A cut or freeze that an open stream has before it.
    var sentence: LoopTimer?
    /// The request on its second way.
    var repetition: Repetition?
    /// Whether what comes is thrown away, from either side.
    var isSilent = false
    private var candidates: [UInt16]
    private var isOver = false

    /// Something that goes on when a timer says so.
    struct Hold {
        let timer: LoopTimer
        let action: () -> Void
    }

    init(_ client: Socket, to targets: [UInt16], dice: SeededRandom, in traffic: Traffic) {
        self.client = Endpoint(client)
        self.traffic = traffic
        self.dice = dice
        candidates = targets.shuffled(using: &self.dice)
    }

    /// Connects to one of the servers, and passes bytes on from then.
    func begin() {
        client.begin(on: traffic.loop, for: []) { [weak self] in self?.clientIsReady($0) }
        connect()
    }

    // MARK: Connecting

    private func connect() {
        guard let target = candidates.popLast() else { return end(byReset: false) }
        guard let socket = Socket.connecting(to: target) else { return connect() }
        let endpoint = Endpoint(socket)
        server = endpoint
        endpoint.begin(on: traffic.loop, for: .write) { [weak self] in self?.serverIsReady($0) }
    }

    private func hasConnected() {
        guard server?.socket.connectFailure == 0 else {
            server?.end(byReset: false)
            server = nil
            return connect()
        }
        phase = .idle
        look()
    }

    // MARK: Passing bytes

    private func clientIsReady(_ events: WatchEvents) {
        if events.contains(.write), !client.flush() { return end(byReset: true) }
        if events.contains(.read) { receive(from: client, clientSent) }
        look()
    }

    private func serverIsReady(_ events: WatchEvents) {
        guard phase != .connecting else { return hasConnected() }
        if events.contains(.write), server?.flush() == false { return end(byReset: true) }
        if events.contains(.read), let server { receive(from: server, serverSent) }
        look()
    }

    private func receive(from end: Endpoint, _ handle: (ArraySlice<UInt8>) -> Void) {
        switch end.receive(into: &traffic.buffer) {
        case .passed(let count): handle(traffic.buffer[..<count])
        case .later: break
        case .ended: sideHasEnded(end)
        case .broken where isSilent && end !== client: letGoOfServer()
        case .broken: self.end(byReset: true)
        }
    }

    private func sideHasEnded(_ end: Endpoint) {
        // Of a half-open connection the client learns nothing, not even the server's end; with the client's, it ends.
        if isSilent { return end === client ? self.end(byReset: true) : letGoOfServer() }
        (end === client ? server : client)?.finish()
    }

    private func letGoOfServer() {
        server?.end(byReset: true)
        server = nil
    }

    /// Ends in good order once everything is written.
    private func leave() {
        if client.waitingBytes == 0, server?.waitingBytes ?? 0 == 0 { end(byReset: false) }
    }

    /// Gives bytes to the server; nothing is left of the link if that fails.
    func passToServer(_ bytes: ArraySlice<UInt8>) {
        if server?.give(bytes) == false { end(byReset: true) }
    }

    /// Gives bytes to the client; nothing is left of the link if that fails.
    func passToClient(_ bytes: ArraySlice<UInt8>) {
        if !client.give(bytes) { end(byReset: true) }
    }

    /// Says anew what is of interest.
    func look() {
        guard !isOver, phase != .connecting else { return }
        if client.hasEnded, server?.hasEnded ?? true { leave() }
        if isOver { return }
        client.look(whileOtherTakes: server?.waitingBytes ?? 0 == 0)
        server?.look(whileOtherTakes: client.waitingBytes == 0)
    }

    // MARK: The end

    /// Ends the client's connection in good order once it has its bytes, and the server's at once.
    func truncate() {
        isSilent = true
        letGoOfServer()
        client.finish()
    }

    /// Ends both connections.
    func end(byReset: Bool) {
        guard !isOver else { return }
        isOver = true
        hold?.timer.cancel()
        sentence?.cancel()
        repetition?.end()
        (hold, sentence, repetition) = (nil, nil, nil)
        client.end(byReset: byReset)
        server?.end(byReset: byReset)
        traffic.hasEnded(self)
    }
}
