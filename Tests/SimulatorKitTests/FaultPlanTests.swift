import Platform
import SimulatorKit
import Testing

struct FaultPlanTests {
    private let seeds = UInt64(1)...400

    private func plan(_ seed: UInt64, servers: Int = 2, seconds: Int = 30) -> FaultPlan {
        FaultPlan(seed: seed, duration: .seconds(seconds), servers: servers)
    }

    @Test func `the same seed makes the same plan, and another one another`() {
        for seed in seeds {
            #expect(plan(seed) == plan(seed))
            #expect(plan(seed) != plan(seed + 1))
        }
    }

    @Test func `events come by time and within the duration`() {
        for seed in seeds {
            let events = plan(seed).events
            #expect(events.map(\.at) == events.map(\.at).sorted())
            #expect(events.allSatisfy { $0.at > .zero && $0.at < .seconds(30) })
        }
    }

    @Test(arguments: [1, 2, 3])
    func `nothing is away for long, nothing goes twice, and all is back at the end`(servers: Int) {
        for seed in seeds {
            var scene = Scene()
            for event in plan(seed, servers: servers).events { scene.follow(event) }
            #expect(scene.faults == [], "seed \(seed)")
            #expect(scene.away.isEmpty, "seed \(seed)")
        }
    }

    @Test func `each kind of deed happens in some scenarios and not in others`() {
        let plans = seeds.map { plan($0) }
        let kinds: [(FaultDeed) -> Bool] = [
            { $0 == .killServer(0) }, { $0 == .stopServer(1) }, { $0 == .pauseServer(0) },
            { $0 == .killDatabase }, { if case .stepDatabaseClock = $0 { true } else { false } },
            { if case .stepClientClock = $0 { true } else { false } },
            { if case .setRates = $0 { true } else { false } }, { $0 == .restoreDump(.whole) },
            { $0 == .restoreDump(.dataAlone) },
        ]
        for isKind in kinds {
            let count = plans.count { $0.events.contains { isKind($0.deed) } }
            #expect((10...300).contains(count))
        }
    }

    @Test func `each kind of fault is off in about half of all scenarios, and extreme in few`() {
        for kind in FaultKind.allCases {
            let rates = seeds.map { plan($0).rates[kind] }
            #expect((140...260).contains(rates.count { $0 == 0 }), "\(kind)")
            #expect(rates.contains { $0 > 0 })
            #expect(rates.max() ?? 0 <= FaultRates.outOf)
        }
        let extremes = seeds.count { seed in FaultKind.allCases.contains { plan(seed).rates[$0] > 100 } }
        #expect((10...120).contains(extremes))
    }

    @Test func `a plan is told in words`() {
        let events = [
            FaultEvent(at: .milliseconds(3_200), .killServer(1)),
            FaultEvent(at: .seconds(4), .stepClientClock(.seconds(-7))),
            FaultEvent(at: .seconds(5), .setRates(FaultRates([.loss: 3, .delay: 20]))),
        ]
        #expect(
            events.map(\.description) == [
                "after 3.2 s server 1 is killed", "after 4.0 s the devices' clocks are set back by 7.0 s",
                "after 5.0 s the network does: delayed 20, lost 3 of 1,000",
            ])
        #expect(plan(1).lines.count == plan(1).events.count + 1)
    }
}

/// Who is away, as the events of a plan are followed; and what breaks the rules on the way.
private struct Scene {
    var away: [String: Duration] = [:]
    var faults: [String] = []
    private var databaseClock = Duration.zero
    private var clientClock = Duration.zero
    private var hasDump = false
    private var hasRestored = false

    mutating func follow(_ event: FaultEvent) {
        switch event.deed {
        case .killServer(let server), .stopServer(let server), .pauseServer(let server):
            goes("server \(server)", event)
        case .startServer(let server), .resumeServer(let server):
            returns("server \(server)", event)
            if away["database"] != nil { faults.append("\(event): without PostgreSQL") }
        case .killDatabase: goes("database", event)
        case .startDatabase: returns("database", event)
        case .stepDatabaseClock(let step):
            if step <= .zero || !away.isEmpty { faults.append("\(event)") }
        case .stepClientClock(let step):
            clientClock += step
            if max(clientClock, .zero - clientClock) > FaultPlan.farthestClientClock {
                faults.append("\(event)")
            }
        case .takeDump, .restoreDump: copy(event)
        case .setRates: break
        }
    }

    private mutating func goes(_ who: String, _ event: FaultEvent) {
        if away[who] != nil { faults.append("\(event): is away already") }
        away[who] = event.at
    }

    private mutating func returns(_ who: String, _ event: FaultEvent) {
        guard let since = away.removeValue(forKey: who) else { return faults.append("\(event): was there") }
        if event.at - since > FaultPlan.longestOutage { faults.append("\(event): away too long") }
    }

    private mutating func copy(_ event: FaultEvent) {
        if !away.isEmpty || !event.deed.needsQuiet { faults.append("\(event): no quiet") }
        if event.deed == .takeDump { return hasDump = true }
        if !hasDump || hasRestored { faults.append("\(event): no dump, or a second restore") }
        hasRestored = true
    }
}
