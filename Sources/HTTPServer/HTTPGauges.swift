internal import Platform
internal import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What all HTTP servers of a process hold together; one for all loops.
package final class HTTPGauges: Sendable {
    private let open = Atomic<Int>(0)
    private let unfinished = Atomic<Int>(0)
    private let turnedAway = Atomic<Int>(0)
    private let openStreams = Atomic<Int>(0)
    private let turnedAwayStreams = Atomic<Int>(0)
    private let byAddress = Lock<[AddressGroup: Int]>([:])

    package init() {}

    /// Open connections.
    package var connections: Int { open.load(ordering: .relaxed) }
    /// Bytes of bodies that are still arriving; the first bytes of each request are not counted.
    package var unfinishedBodyBytes: Int { unfinished.load(ordering: .relaxed) }
    /// Connections that were refused so far, for there were too many.
    package var refusedConnections: Int { turnedAway.load(ordering: .relaxed) }

    /// Answers that are open streams.
    package var streams: Int { openStreams.load(ordering: .relaxed) }
    /// Streams that were refused so far, for there were too many.
    package var refusedStreams: Int { turnedAwayStreams.load(ordering: .relaxed) }

    /// Counts a connection, if there is room for it; `close` takes it back in either case.
    func open(_ address: AddressGroup?, _ limits: HTTPLimits) -> Bool {
        let count = open.wrappingAdd(1, ordering: .relaxed).newValue
        var fits = count <= limits.connections
        if let address {
            let ofAddress = byAddress.withLock { counts in
                counts[address, default: 0] += 1
                return counts[address] ?? 0
            }
            fits = fits && ofAddress <= limits.connectionsPerAddress
        }
        if !fits { turnedAway.wrappingAdd(1, ordering: .relaxed) }
        return fits
    }

    func close(_ address: AddressGroup?) {
        open.wrappingSubtract(1, ordering: .relaxed)
        guard let address else { return }
        byAddress.withLock { counts in
            let left = (counts[address] ?? 0) - 1
            counts[address] = left > 0 ? left : nil
        }
    }

    /// Counts a stream and returns true, or has no room for it.
    func openStream(_ limits: HTTPLimits) -> Bool {
        if openStreams.wrappingAdd(1, ordering: .relaxed).newValue <= limits.streams { return true }
        closeStream()
        turnedAwayStreams.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    func closeStream() {
        openStreams.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Changes the bytes of unfinished bodies, and returns what they are now.
    func addUnfinished(_ bytes: Int) -> Int {
        unfinished.wrappingAdd(bytes, ordering: .relaxed).newValue
    }
}

/// Addresses that count as one client: an IPv4 address, or the 2^64 addresses that an IPv6 customer has.
struct AddressGroup: Hashable, Sendable {
    private let bits: UInt64

    /// The group of a numeric address; `nil` for none, as a Unix socket has.
    init?(_ address: String) {
        var four = in_addr()
        if inet_pton(AF_INET, address, &four) == 1 {
            bits = UInt64(four.s_addr)
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
        bits = withUnsafeBytes(of: six) { $0.load(as: UInt64.self) }
    }
}
