import Platform
import SimulatorKit
import Testing

/// The sync core in simulated worlds, against a server that keeps the rules.
@Suite struct SimulationTests {
    @Test(arguments: [1, 101, 201, 301, 401] as [UInt64])
    func `in a hundred worlds every device is right`(seed: UInt64) {
        var tally = SimulationCheck.Tally()
        let finding = SimulationCheck(seed: seed).run(worlds: 100, &tally)
        #expect(finding.map { $0.lines.joined(separator: "\n") } == nil, "seed \(finding?.seed ?? 0)")
        #expect(tally.worlds == 100)
        #expect(tally.deviceHours > 1000)
    }

    @Test func `a seed has one course, and another seed another`() {
        let digests = [3, 3, 4].map { (seed: UInt64) in
            var tally = SimulationCheck.Tally()
            _ = SimulationCheck(seed: seed).run(worlds: 5, &tally)
            return tally.digest
        }
        #expect(digests[0] == digests[1])
        #expect(digests[0] != digests[2])
    }

    @Test func `devices and hours can be chosen`() {
        var check = SimulationCheck(seed: 1)
        check.devices = 3
        check.life = .seconds(7200)
        var tally = SimulationCheck.Tally()
        #expect(check.run(worlds: 2, &tally) == nil)
        #expect(tally.deviceHours == 12)
    }
}

/// A check that cannot fail is worthless.
@Suite struct SimulationFindingTests {
    /// Lapses that no device can see: it orders by itself, counts by itself, and asks for no pages of lists.
    private static let unseen: Set<ModelServer.Lapse> = [
        .ordersByTimeOnly, .countsExpired, .skipsBetweenPages, .ignoresSessionEnd,
    ]

    private static let seen = ModelServer.Lapse.allCases.filter { !unseen.contains($0) }

    @Test(arguments: seen) func `a server that breaks a rule is found`(lapse: ModelServer.Lapse) {
        var check = SimulationCheck(seed: 1)
        check.lapse = lapse
        Self.expectFinding(check)
    }

    @Test(arguments: PhoneFlaw.allCases) func `a device that is wrong is found`(flaw: PhoneFlaw) {
        var check = SimulationCheck(seed: 1)
        check.flaw = flaw
        Self.expectFinding(check)
    }

    private static func expectFinding(_ check: SimulationCheck) {
        var tally = SimulationCheck.Tally()
        guard let finding = check.run(worlds: 100, &tally) else {
            Issue.record("not found in 100 worlds")
            return
        }
        #expect(finding.lines.count <= 60)
        // The same seed tells the same story again.
        var again = SimulationCheck(seed: finding.seed)
        (again.lapse, again.flaw) = (check.lapse, check.flaw)
        #expect(again.run(worlds: 1, &tally)?.lines == finding.lines)
    }
}

@Suite struct AgendaTests {
    @Test func `what is due first comes first, and of one time what was put down first`() {
        var agenda = Agenda<Instant, Int>()
        var random = SeededRandom(seed: 7)
        let dues = (0..<200).map { _ in Int64.random(in: 0..<20, using: &random) }
        for (number, due) in dues.enumerated() { agenda.add(number, at: Instant(seconds: due)) }
        var taken: [Int] = []
        while let (_, item) = agenda.next() { taken.append(item) }
        #expect(taken == dues.indices.sorted { (dues[$0], $0) < (dues[$1], $1) })
        #expect(agenda.isEmpty)
    }
}
