/// How often durations of each length were, over a logarithmic axis.
struct HistogramPlot {
    let title: String
    /// What was counted, such as `answers`.
    let counted: String
    let note: String
    let histogram: Histogram

    /// Bars to each doubling.
    private static let bars = 4.0

    /// A part of all durations, between two lengths in microseconds.
    struct Bar {
        let from: Double
        let to: Double
        let share: Double
    }

    /// Percentiles that are marked.
    static let marks: [(name: String, percent: Double)] = [("p50", 50), ("p99", 99), ("p99.9", 99.9)]

    /// The bars, from the shortest duration to the longest.
    var bars: [Bar] {
        var counts: [Int: Int] = [:]
        for bucket in histogram.buckets {
            let middle = max(
                1, Double(bucket.microseconds.lowerBound + bucket.microseconds.upperBound - 1) / 2)
            counts[Int((PlotScale.log2(middle) * HistogramPlot.bars).rounded(.down)), default: 0] +=
                bucket.count
        }
        return counts.sorted { $0.key < $1.key }.map { bar, count in
            Bar(
                from: HistogramPlot.start(of: bar), to: HistogramPlot.start(of: bar + 1),
                share: Double(count) / Double(max(1, histogram.count)))
        }
    }

    /// Two to the power of so many bars.
    private static func start(of bar: Int) -> Double {
        let fourths = [1, 1.189_207_115_002_721, 1.414_213_562_373_095, 1.681_792_830_507_429]
        return Double(1 << (bar / 4)) * fourths[bar % 4]
    }

    /// Draws the plot for one width of page.
    func draw(in frame: PlotFrame, _ markup: inout Markup) {
        let bars = bars
        let across = PlotScale.logarithmic(bars.flatMap { [$0.from, $0.to] })
        let canvas = PlotCanvas(frame: frame, across: across, up: .linear(to: bars.map(\.share).max() ?? 1))
        canvas.open(title, note, &markup) { markup in
            canvas.drawAxes(across: PlotUnit.time.words, up: PlotUnit.share.words, &markup)
            canvas.name(across: "time, logarithmic", up: "share of \(counted)", &markup)
            for bar in bars { draw(bar, canvas, &markup) }
            drawMarks(canvas, &markup)
        }
    }

    private func draw(_ bar: Bar, _ canvas: PlotCanvas, _ markup: inout Markup) {
        let (left, right, top) = (canvas.x(bar.from), canvas.x(bar.to), canvas.y(bar.share))
        markup.element(
            "rect",
            [
                "class": "bar", "x": pixel(left + 0.5), "y": pixel(top),
                "width": pixel(max(0.5, right - left - 1)),
                "height": pixel(canvas.frame.y.upperBound - top),
            ]
        ) { markup in markup.element("title", words(of: bar)) }
    }

    /// A bar as a line of words.
    func words(of bar: Bar) -> String {
        "\(PlotUnit.time.words(bar.from)) to \(PlotUnit.time.words(bar.to)): \(PlotUnit.share.words(bar.share))"
    }

    private func drawMarks(_ canvas: PlotCanvas, _ markup: inout Markup) {
        let (top, bottom) = (canvas.frame.y.lowerBound, canvas.frame.y.upperBound)
        for (index, mark) in HistogramPlot.marks.enumerated() {
            guard let value = histogram.percentile(mark.percent) else { continue }
            let place = canvas.x(Double(value.microseconds))
            markup.empty("path", ["class": "limit", "d": "M\(pixel(place)) \(pixel(top))V\(pixel(bottom))"])
            let isLeft = place > canvas.frame.x.upperBound - 50
            markup.element(
                "text",
                [
                    "class": isLeft ? "mark end" : "mark", "x": pixel(place + (isLeft ? -3 : 3)),
                    "y": pixel(top + 10 + Double(index) * 13),
                ], mark.name)
        }
    }
}
