/// Values over the time of a run.
struct TimePlot: Sendable {
    let title: String
    /// What the upward axis counts.
    let axis: String
    let unit: PlotUnit
    let shape: Shape
    /// One sentence that says what to look for.
    let note: String
    var isBroad = false
    /// A value that should not be passed, and what it is called.
    var limit: (value: Double, name: String)?
    /// The series of a timeline: asked for all slices to draw, and for few of them to tell in words.
    let series: @Sendable (Timeline) -> [PlotSeries]

    /// How values are drawn.
    enum Shape: Sendable {
        /// Lines over a logarithmic axis.
        case logarithmic
        /// Lines from zero.
        case lines
        /// Lines of shares, up to one.
        case shares
        /// Layers that add up.
        case stack
    }

    /// The upward axis for what is drawn.
    func scale(of series: [PlotSeries]) -> PlotScale {
        let values = series.flatMap(\.values).compactMap(\.self)
        let highest = max(values.max() ?? 0, limit?.value ?? 0)
        return switch shape {
        case .logarithmic: .logarithmic(values + (limit.map { [$0.value] } ?? []))
        case .lines: .linear(to: highest > 0 ? highest : 1)
        case .shares: .linear(to: 1, from: floor(under: values.min() ?? 0))
        case .stack: .linear(to: max(TimePlot.tops(of: series).max() ?? 0, 1e-3))
        }
    }

    /// The sum of all layers at each slice.
    static func tops(of series: [PlotSeries]) -> [Double] {
        (0..<(series.first?.values.count ?? 0)).map { index in
            series.reduce(0) { $0 + ($1.values[index] ?? 0) }
        }
    }

    private func floor(under lowest: Double) -> Double { [0.99, 0.9, 0.5].first { $0 <= lowest } ?? 0 }
}
