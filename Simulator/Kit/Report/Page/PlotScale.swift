/// How values become places on an axis.
struct PlotScale {
    /// What both ends stand for.
    let domain: ClosedRange<Double>
    let isLogarithmic: Bool
    /// Values that are written at the axis.
    let ticks: [Double]

    /// From zero, or from `floor`, to a round number over all values.
    static func linear(to highest: Double, from floor: Double = 0, labels: Int = 5) -> PlotScale {
        let span = max(highest - floor, 1e-9)
        let step = niceStep(span / Double(labels))
        let top = floor + (span / step - 1e-9).rounded(.up) * step
        let count = Int(((top - floor) / step).rounded())
        return PlotScale(
            domain: floor...top, isLogarithmic: false, ticks: (0...count).map { floor + Double($0) * step })
    }

    /// Decades, or 1, 2 and 5 of each where there are few of them.
    static func logarithmic(_ values: [Double]) -> PlotScale {
        let positive = values.filter { $0 > 0 }
        let steps = (-1...9).flatMap { power in [1.0, 2, 5].map { $0 * decade(power) } }
        let lowest = steps.last { $0 <= (positive.min() ?? 1) } ?? steps[0]
        let highest = steps.first { $0 >= (positive.max() ?? 10) && $0 > lowest } ?? decade(12)
        let within = steps.filter { (lowest...highest).contains($0) }
        let ticks = within.count <= 7 ? within : within.filter(isDecade)
        return PlotScale(domain: lowest...highest, isLogarithmic: true, ticks: ticks)
    }

    /// Seconds, with ticks at times that people count in.
    static func time(_ seconds: Double, labels: Int) -> PlotScale {
        let steps: [Double] = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
        ]
        let step = steps.first { seconds / $0 <= Double(labels) } ?? niceStep(seconds / Double(labels))
        return PlotScale(
            domain: 0...max(seconds, 1), isLogarithmic: false,
            ticks: Array(stride(from: 0, through: seconds, by: step)))
    }

    /// Where a value lies, from 0 to 1; what is outside lies at an end.
    func part(of value: Double) -> Double {
        let (low, high) = (domain.lowerBound, domain.upperBound)
        let part =
            isLogarithmic
            ? (PlotScale.log2(max(value, low)) - PlotScale.log2(low))
                / (PlotScale.log2(high) - PlotScale.log2(low))
            : (value - low) / (high - low)
        return min(1, max(0, part))
    }

    private static func niceStep(_ rough: Double) -> Double {
        var power = 1.0
        while power * 10 <= rough { power *= 10 }
        while power > rough { power /= 10 }
        return [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= rough - 1e-12 } ?? power * 10
    }

    private static func decade(_ power: Int) -> Double {
        (0..<abs(power)).reduce(1.0) { value, _ in power < 0 ? value / 10 : value * 10 }
    }

    private static func isDecade(_ value: Double) -> Bool {
        (-1...9).contains { abs(value / decade($0) - 1) < 1e-9 }
    }

    /// The exponent, and between two powers the part of the way by a series: as exact as a pixel needs.
    static func log2(_ value: Double) -> Double {
        let ratio = (value.significand - 1) / (value.significand + 1)
        let square = ratio * ratio
        let series = ratio * (1 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square / 9))))
        return Double(value.exponent) + 2 * series / 0.693_147_180_559_945_3
    }
}
