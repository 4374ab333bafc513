import Foundation
import Testing

@testable import SimulatorKit

struct PlotScaleTests {
    @Test(
        arguments: [
            (0.93, [0, 0.2, 0.4, 0.6, 0.8, 1]), (7, [0, 2, 4, 6, 8]),
            (4812, [0, 1000, 2000, 3000, 4000, 5000]),
        ] as [(Double, [Double])])
    func `a linear axis ends at a round number`(highest: Double, ticks: [Double]) {
        let scale = PlotScale.linear(to: highest)
        #expect(zip(scale.ticks, ticks).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(scale.ticks.count == ticks.count)
        #expect(scale.part(of: 0) == 0 && abs(scale.part(of: ticks[ticks.count - 1]) - 1) < 1e-9)
    }

    @Test func `a logarithmic axis spans all values, by decades where they are many`() {
        #expect(PlotScale.logarithmic([300, 1500]).ticks == [200, 500, 1000, 2000])
        #expect(PlotScale.logarithmic([3, 1_500_000]).ticks == [10, 100, 1000, 10_000, 100_000, 1_000_000])
        let scale = PlotScale.logarithmic([1, 10_000])
        #expect(abs(scale.part(of: 100) - 0.5) < 1e-4)
        #expect(scale.part(of: 0) == 0 && scale.part(of: 1e9) == 1)
        #expect(PlotScale.logarithmic([]).ticks.count > 1)
    }

    @Test func `logarithms are as exact as a pixel needs`() {
        for exponent in stride(from: 0.0, to: 30, by: 0.37) {
            #expect(abs(PlotScale.log2(exp2(exponent)) - exponent) < 1e-4)
        }
    }

    @Test(arguments: [(20, 5.0), (120, 30), (3000, 600), (86_400, 14_400)])
    func `time is counted as people do`(seconds: Double, step: Double) {
        let scale = PlotScale.time(seconds, labels: 6)
        #expect(scale.ticks[1] - scale.ticks[0] == step)
    }
}
