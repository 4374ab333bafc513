import EventLoop
import Platform
import SimulatorKit

/// All links of a proxy, and what they share; on the loop's thread.
final class Traffic {
    let loop: EventLoop
    /// Ports of the servers.
    let targets: [UInt16]
    var rates = FaultRates.none
    var counts = FaultCounts()
    /// Where each link reads into; what is not passed on at once is copied.
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private let seed: UInt64
    private let mayRepeat: ([UInt8]) -> Bool
    private var links: [ObjectIdentifier: Link] = [:]

    init(loop: EventLoop, targets: [UInt16], seed: UInt64, mayRepeat: @escaping ([UInt8]) -> Bool) {
        self.loop = loop
        self.targets = targets
        self.seed = seed
        self.mayRepeat = mayRepeat
    }

    /// Links that are open.
    var openLinks: Int { links.count }

    /// Bytes that wait in this process for someone to take them.
    var waitingBytes: Int {
        links.values.reduce(0) { $0 + $1.client.waitingBytes + ($1.server?.waitingBytes ?? 0) }
    }

    /// Takes a client's connection over; true if it was refused, and others should be for this long.
    func accept(_ client: Socket) -> Duration? {
        // By its number alone: how connections interleave does not change what happens to each.
        var dice = SeededRandom.part(counts.connections, of: seed)
        counts.connections += 1
        let isRefused = dice.chance(rates[.refusal], outOf: FaultRates.outOf)
        let lasting = Fate.upTo(rates.longestRefusal, &dice)
        if isRefused {
            counts[.refusal] += 1
            client.reset()
            return lasting
        }
        let link = Link(client, to: targets, dice: dice, in: self)
        links[ObjectIdentifier(link)] = link
        link.begin()
        return nil
    }

    /// A link is over.
    func hasEnded(_ link: Link) { links[ObjectIdentifier(link)] = nil }

    /// A second sending of a request; nothing if it may not be repeated or no server takes it.
    func repetition(of request: [UInt8], to target: UInt16) -> Repetition? {
        guard mayRepeat(request), let socket = Socket.connecting(to: target) else { return nil }
        return Repetition(request, over: socket, on: loop)
    }

    /// Lets no harm go on.
    func heal() { inOrder { $0.heal() } }

    /// Resets every link.
    func close() { inOrder { $0.end(byReset: true) } }

    private func inOrder(_ action: (Link) -> Void) {
        for link in Array(links.values) { action(link) }
    }
}
