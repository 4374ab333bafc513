import Platform
import Testing

@testable import SimulatorKit

struct AgendaTests {
    @Test(arguments: 1...20) func `what is due first is taken first, and of one time what was put down first`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        var agenda = Agenda()
        let count = Int.random(in: 1...500, using: &random)
        let dues = (0..<count).map { _ in Duration.milliseconds(Int.random(in: 0...50, using: &random)) }
        for (device, due) in dues.enumerated() { agenda.add(.use, of: device, at: due) }
        var taken: [Int] = []
        while let item = agenda.take(at: .seconds(1)) { taken.append(Int(item.device)) }
        #expect(taken == dues.indices.sorted { (dues[$0], $0) < (dues[$1], $1) })
    }

    @Test func `nothing is taken before it is due`() {
        var agenda = Agenda()
        agenda.add(.arrive, of: 1, at: .milliseconds(10))
        #expect(agenda.next == .milliseconds(10))
        #expect(agenda.take(at: .milliseconds(9)) == nil)
        #expect(agenda.take(at: .milliseconds(10))?.device == 1)
        #expect(agenda.next == nil)
    }
}
