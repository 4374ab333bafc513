import EventLoop

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A port on loopback that takes connections, or refuses them for a while; on the loop's thread.
final class Listener {
    let port: UInt16
    private let loop: EventLoop
    /// Bound and never listening, so that the port stays ours while connections are refused.
    private let holder: Socket
    private var listening: (socket: Socket, watch: DescriptorWatch)?
    private var refusal: LoopTimer?
    /// Takes a connection over; returns for how long others are refused.
    private let accept: (Socket) -> Duration?

    /// Connections that the system keeps until they are taken; it lowers this to its own bound.
    private static let backlog: Int32 = 4_096
    /// Connections taken before others have their turn.
    private static let atOnce = 64

    init(on loop: EventLoop, _ accept: @escaping (Socket) -> Duration?) throws(ProxyError) {
        self.loop = loop
        self.accept = accept
        holder = try Socket.bound(to: 0)
        port = holder.port
        do throws(ProxyError) {
            try listen()
        } catch {
            holder.close()
            throw error
        }
    }

    /// Whether new connections are refused now.
    var isRefusing: Bool { refusal != nil }

    /// Refuses new connections for this long.
    func refuse(for time: Duration) {
        stopListening()
        refusal?.cancel()
        refusal = loop.timer(after: time) { [weak self] in self?.open() }
    }

    /// Takes new connections again.
    func open() {
        refusal?.cancel()
        refusal = nil
        guard listening == nil else { return }
        do throws(ProxyError) {
            try listen()
        } catch {
            refuse(for: .milliseconds(50))  // out of descriptors; those in use come back
        }
    }

    /// Gives the port up.
    func close() {
        refusal?.cancel()
        refusal = nil
        stopListening()
        holder.close()
    }

    private func listen() throws(ProxyError) {
        let socket = try Socket.bound(to: port)
        guard listenOn(socket.descriptor, Listener.backlog) == 0 else {
            let code = errno
            socket.close()
            throw ProxyError(call: "listen", code: code)
        }
        let watch = loop.watch(socket.descriptor, for: .read) { [weak self] _ in self?.takeConnections() }
        listening = (socket, watch)
    }

    private func takeConnections() {
        for _ in 0..<Listener.atOnce {
            guard let socket = listening?.socket.accepted() else { return }
            if let time = accept(socket) { return refuse(for: time) }
        }
    }

    private func stopListening() {
        listening?.watch.cancel()
        listening?.socket.close()
        listening = nil
    }
}

/// `listen` of the system, whose name the method has.
private func listenOn(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
