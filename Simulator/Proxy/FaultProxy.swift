package import EventLoop
package import SimulatorKit

/// A TCP proxy on loopback that does harm to what passes, by rates and a seed; it runs on one loop.
///
/// Each connection goes to one of the servers, by the seed; if that one does not take it, to another, and if none
/// does, it is closed. What happens to a connection's requests depends on the seed, its number and the rates alone.
/// It keeps at most 64 KiB of a connection in either direction, and reads no more until that is taken.
///
/// The owner calls `close` before letting go of it.
package actor FaultProxy {
    private nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Where clients find it.
    package nonisolated let port: UInt16
    private let listener: Listener
    private let traffic: Traffic

    /// Listens on a free port, without faults at first; to be called on the loop's thread.
    ///
    /// - Parameters:
    ///   - targets: ports of the servers, at least one.
    ///   - mayRepeat: asked before a request is sent a second time, with all its bytes; for those that would be
    ///     another deed then.
    package init(
        loop: EventLoop, targets: [UInt16], seed: UInt64,
        mayRepeat: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) throws {
        precondition(!targets.isEmpty, "there is a server")
        loop.preconditionIsCurrent()
        let traffic = Traffic(loop: loop, targets: targets, seed: seed, mayRepeat: mayRepeat)
        let listener = try Listener(on: loop) { traffic.accept($0) }
        self.loop = loop
        port = listener.port
        self.traffic = traffic
        self.listener = listener
    }

    /// How often faults happen.
    package var rates: FaultRates { traffic.rates }

    /// Sets how often faults happen to requests and connections that begin from now on.
    package func set(_ rates: FaultRates) { traffic.rates = rates }

    /// What it has done so far.
    package var counts: FaultCounts { traffic.counts }

    /// Connections of clients that are open.
    package var openConnections: Int { traffic.openLinks }

    /// Bytes that wait in this process until someone takes them.
    package var waitingBytes: Int { traffic.waitingBytes }

    /// Does no harm from now on: half-open connections are reset, what is held goes on at once.
    package func heal() {
        traffic.rates = .none
        traffic.heal()
        listener.open()
    }

    /// Resets all connections and gives the port up.
    package func close() {
        listener.close()
        traffic.close()
    }
}
