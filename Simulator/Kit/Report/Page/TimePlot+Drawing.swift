extension TimePlot {
    /// Draws the plot for one width of page.
    func draw(_ timeline: Timeline, in frame: PlotFrame, _ markup: inout Markup) {
        let timeline = timeline.condensed(to: frame.points)
        let series = series(timeline)
        let canvas = PlotCanvas(
            frame: frame, across: .time(timeline.seconds, labels: frame.labels), up: scale(of: series))
        canvas.open(title, note, &markup) { markup in
            canvas.drawAxes(across: { Words.clock(Int($0)) }, up: unit.words, &markup)
            canvas.name(across: "time since the load began", up: axis, &markup)
            switch shape {
            case .stack: drawLayers(series, Double(timeline.width), canvas, &markup)
            case .logarithmic, .lines, .shares: drawLines(series, Double(timeline.width), canvas, &markup)
            }
            drawLimit(canvas, &markup)
            drawWords(timeline, canvas, &markup)
        }
    }

    private func drawLines(
        _ series: [PlotSeries], _ width: Double, _ canvas: PlotCanvas, _ markup: inout Markup
    ) {
        // The style sheet makes later lines thinner, so that those that coincide are all seen.
        for line in series {
            let path = canvas.path(line.values, width)
            markup.empty("path", ["class": "line \(line.colour.rawValue)", "d": path])
        }
    }

    private func drawLayers(
        _ series: [PlotSeries], _ width: Double, _ canvas: PlotCanvas, _ markup: inout Markup
    ) {
        var below = [Double](repeating: 0, count: series.first?.values.count ?? 0)
        for layer in series where layer.values.contains(where: { ($0 ?? 0) > 0 }) {
            let above = zip(below, layer.values).map { $0 + ($1 ?? 0) }
            markup.empty(
                "path",
                ["class": "layer \(layer.colour.rawValue)", "d": canvas.path(from: below, to: above, width)])
            below = above
        }
    }

    private func drawLimit(_ canvas: PlotCanvas, _ markup: inout Markup) {
        guard let limit else { return }
        let (x, y) = (canvas.frame.x, canvas.y(limit.value))
        markup.empty(
            "path", ["class": "limit", "d": "M\(pixel(x.lowerBound)) \(pixel(y))H\(pixel(x.upperBound))"])
        markup.element(
            "text", ["x": pixel(x.upperBound), "y": pixel(y - 4), "class": "mark end"], limit.name)
    }

    /// Columns that say their values when pointed at; few, since each is as wide as a finger.
    private func drawWords(_ timeline: Timeline, _ canvas: PlotCanvas, _ markup: inout Markup) {
        let few = timeline.condensed(to: 48)
        let series = series(few)
        let end = canvas.across.domain.upperBound
        markup.element("g", ["class": "hover"]) { markup in
            for index in few.slices.indices {
                let (start, stop) = (Double(index * few.width), min(end, Double((index + 1) * few.width)))
                let (left, right) = (canvas.x(start), canvas.x(stop))
                let (top, bottom) = (canvas.frame.y.lowerBound, canvas.frame.y.upperBound)
                markup.element(
                    "rect",
                    [
                        "x": pixel(left), "y": pixel(top), "width": pixel(right - left),
                        "height": pixel(bottom - top),
                    ]
                ) { markup in markup.element("title", words(at: index, from: start, to: stop, series)) }
            }
        }
    }

    private func words(at index: Int, from start: Double, to end: Double, _ series: [PlotSeries]) -> String {
        let values = series.compactMap { line in
            line.values[index].map { "\(line.name) \(unit.words($0))" }
        }
        return "\(Words.clock(Int(start)))–\(Words.clock(Int(end))): \(values.joined(separator: ", "))"
    }
}
