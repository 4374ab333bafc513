import EventLoop

/// One end of a link: its socket, and the bytes that wait until its peer takes them.
final class Endpoint {
    let socket: Socket
    /// Not read from, since what it sends is not to pass now.
    var isHeld = false
    /// Whether the peer has ended its side.
    private(set) var hasEnded = false
    private var watch: DescriptorWatch?
    private var waiting: [UInt8] = []
    private var written = 0
    private var isFinishing = false

    init(_ socket: Socket) { self.socket = socket }

    /// Calls `action` whenever something can be done that is of interest, see `look`.
    func begin(on loop: EventLoop, for interest: WatchEvents, _ action: @escaping (WatchEvents) -> Void) {
        watch = loop.watch(socket.descriptor, for: interest, action)
    }

    /// Bytes that its peer has not taken.
    var waitingBytes: Int { waiting.count - written }

    /// Watches for what is of interest now: reads only while the other end takes what it is given.
    func look(whileOtherTakes otherTakes: Bool) {
        var interest: WatchEvents = []
        if otherTakes, !isHeld, !hasEnded { interest.insert(.read) }
        if waitingBytes > 0 { interest.insert(.write) }
        watch?.change(to: interest)
    }

    /// Reads once; notes the end.
    func receive(into buffer: inout [UInt8]) -> Transfer {
        let transfer = socket.receive(into: &buffer)
        if transfer == .ended { hasEnded = true }
        return transfer
    }

    /// Writes bytes, or lets them wait; false if the connection is broken.
    func give(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while waitingBytes == 0, !rest.isEmpty {
            switch socket.send(rest) {
            case .passed(let count): rest = rest.dropFirst(count)
            case .later: (waiting, written) = (Array(rest), 0)
            case .ended, .broken: return false
            }
            if waitingBytes > 0 { return true }
        }
        waiting += rest
        return true
    }

    /// Writes what waits, as far as it goes; false if the connection is broken.
    func flush() -> Bool {
        while waitingBytes > 0 {
            switch socket.send(waiting[written...]) {
            case .passed(let count): written += count
            case .later: return true
            case .ended, .broken: return false
            }
        }
        // Not kept: of thousands of connections few have something waiting.
        (waiting, written) = ([], 0)
        if isFinishing { socket.finish() }
        return true
    }

    /// Tells the peer that nothing more comes, once it has taken what waits.
    func finish() {
        guard !isFinishing else { return }
        isFinishing = true
        if waitingBytes == 0 { socket.finish() }
    }

    /// Ends it, by a reset or in good order.
    func end(byReset: Bool) {
        watch?.cancel()
        watch = nil
        if byReset { socket.reset() } else { socket.close() }
    }
}
