import InboxModel
import Platform
import ReferenceInbox

/// Plays many simulated worlds, and tells the story of the first in which something was wrong.
package struct SimulationCheck: Sendable {
    /// The first world's; each further one has the next number.
    package let seed: UInt64
    package var devices: Int?
    package var life: Duration?
    package var lapse: ModelServer.Lapse?
    package var flaw: PhoneFlaw?

    package init(seed: UInt64) { self.seed = seed }

    /// What was played.
    package struct Tally: Sendable {
        package var worlds = 0
        /// Devices times the hours of their worlds.
        package var deviceHours = 0.0
        /// Of all that happened in all worlds.
        package var digest: UInt64 = 0xCBF2_9CE4_8422_2325

        package init() {}
    }

    /// A world in which something was wrong.
    package struct Finding: Sendable {
        package let seed: UInt64
        package let wrong: Simulation.Wrong
        /// What happened last, and what is wrong with it.
        package let lines: [String]
    }

    /// Plays worlds until something is wrong; nothing if nothing was.
    package func run(
        worlds: Int, _ tally: inout Tally, _ progress: (Tally) -> Void = { _ in }
    ) -> Finding? {
        for number in 0..<worlds {
            let plan = SimulationPlan(seed: seed &+ UInt64(number), devices: devices, life: life)
            var world = Simulation(plan, lapse: lapse, flaw: flaw)
            world.run()
            tally.worlds += 1
            tally.deviceHours += plan.life.inSeconds / 3600 * Double(plan.phones.count)
            tally.digest = (tally.digest ^ world.digest) &* 0x100_0000_01B3
            if let wrong = world.wrong { return tell(plan, wrong) }
            progress(tally)
        }
        return nil
    }

    // MARK: Stories

    private static let mostLines = 40

    private func tell(_ plan: SimulationPlan, _ wrong: Simulation.Wrong) -> Finding {
        let plan = shortest(plan, wrong)
        var world = Simulation(plan, lapse: lapse, flaw: flaw, isTelling: true)
        world.run()
        let end = world.wrong ?? wrong
        let who = end.phone.map { "device \($0): " } ?? ""
        let lines =
            [plan.words] + world.story(atMost: SimulationCheck.mostLines) + [
                "\(who)\(end.what)", "  expected \(end.expected)", "  came     \(end.came)",
            ]
        return Finding(seed: plan.seed, wrong: end, lines: lines)
    }

    /// Takes away what the same thing goes wrong without: what other users do, kinds of faults.
    private func shortest(_ plan: SimulationPlan, _ wrong: Simulation.Wrong) -> SimulationPlan {
        var plan = plan
        for phone in plan.phones.indices {
            var less = plan
            less.idle.insert(phone)
            if goesWrong(less, like: wrong) { plan = less }
        }
        for fault in plan.faults.active {
            var less = plan
            less.faults.turnOff(fault)
            if goesWrong(less, like: wrong) { plan = less }
        }
        return plan
    }

    private func goesWrong(_ plan: SimulationPlan, like wrong: Simulation.Wrong) -> Bool {
        var world = Simulation(plan, lapse: lapse, flaw: flaw)
        world.run()
        return world.wrong?.phone == wrong.phone && world.wrong?.what == wrong.what
    }
}

extension SimulationPlan {
    /// How the world is set.
    var words: String {
        let apps = apps.enumerated().map { number, app in
            "\(World.apps[number]): keeps with \(app.keepsWithPeople ? "people" : "devices"), "
                + "\(app.trustsDevices ? "trusts" : "does not trust") devices"
                + (app.filters ? ", filters" : "") + ", cap \(app.cap)"
        }
        let phones = phones.enumerated().map { number, phone in
            "device \(number): \(World.apps[phone.app]), \(phone.type.text), filter \(phone.filter)"
                + (phone.asksForChanges ? ", changes by \(phone.changesPerPage)" : ", lists")
                + (idle.contains(number) ? ", nobody's" : "")
        }
        let faults = faults.active.map(\.rawValue)
        return (apps + phones + ["faults: \(faults.joined(separator: ", "))"]).joined(separator: "\n")
    }
}
