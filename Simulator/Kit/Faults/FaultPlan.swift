import Platform

/// What goes wrong in a scenario, and when: the same for the same seed.
///
/// Nothing is away for longer than `longestOutage`, and between two outages there is calm. At the end everything
/// runs; whoever carries the plan out still has to heal the network then.
package struct FaultPlan: Hashable, Sendable {
    package let seed: UInt64
    package let duration: Duration
    /// How many servers there are; from 1.
    package let servers: Int
    /// What the network does from the beginning.
    package let rates: FaultRates
    /// By time.
    package let events: [FaultEvent]

    /// From when a server or PostgreSQL goes until all is back.
    package static let longestOutage = Duration.seconds(5)

    /// From when all is back until something goes again.
    package static let shortestCalm = Duration.seconds(1)

    /// How far the devices' clocks may be from the time of day.
    package static let farthestClientClock = Duration.seconds(30)

    /// The plan that a seed makes.
    package init(seed: UInt64, duration: Duration, servers: Int) {
        precondition(servers > 0, "somebody serves")
        self.seed = seed
        self.duration = duration
        self.servers = servers
        var random = SeededRandom(seed: seed)
        rates = FaultRates.swarm(using: &random)
        var writer = FaultPlanWriter(duration: duration, servers: servers, random: random)
        events = writer.write()
    }

    /// The plan for people, a line for each event.
    package var lines: [String] {
        ["from the beginning the network does: \(rates)"] + events.map(\.description)
    }
}
