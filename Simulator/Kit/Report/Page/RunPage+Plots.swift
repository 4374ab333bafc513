extension RunPage {
    /// A plot with its title, legend, drawings for each width of page, and numbers.
    func write(_ plot: TimePlot, _ markup: inout Markup) {
        let series = plot.series(timeline)
        let isEmpty = series.allSatisfy { $0.values.allSatisfy { ($0 ?? 0) == 0 } }
        markup.element("figure", ["class": plot.isBroad ? "card across" : "card"]) { markup in
            markup.element("h3", plot.title)
            markup.element("p", ["class": "note"], plot.note)
            guard !isEmpty else {
                return markup.element("p", ["class": "none"], "None.")
            }
            if series.count > 1 { write(legendOf: series, &markup) }
            for frame in plot.isBroad ? [PlotFrame.broad, .wide, .narrow] : [.wide, .narrow] {
                plot.draw(timeline, in: frame, &markup)
            }
            write(numbersOf: plot, &markup)
        }
    }

    /// A histogram with its title, drawings and numbers.
    func write(_ plot: HistogramPlot, _ markup: inout Markup) {
        markup.element("figure", ["class": "card"]) { markup in
            markup.element("h3", plot.title)
            markup.element("p", ["class": "note"], plot.note)
            guard plot.histogram.count > 0 else { return markup.element("p", ["class": "none"], "None.") }
            for frame in [PlotFrame.wide, .narrow] { plot.draw(in: frame, &markup) }
            markup.element("details") { markup in
                markup.element("summary", "Numbers")
                let rows = plot.bars.map {
                    [
                        PlotUnit.time.words($0.from), PlotUnit.time.words($0.to),
                        PlotUnit.share.words($0.share),
                    ]
                }
                table(["from", "to", "share"], rows, named: plot.title, &markup)
            }
        }
    }

    private func write(legendOf series: [PlotSeries], _ markup: inout Markup) {
        markup.element("ul", ["class": "legend"]) { markup in
            for line in series {
                markup.element("li") { markup in
                    markup.element("i", ["class": line.colour.rawValue], "")
                    markup.write(line.name)
                }
            }
        }
    }

    /// The same in words, in few rows: what a plot says to whom cannot see it.
    private func write(numbersOf plot: TimePlot, _ markup: inout Markup) {
        let few = timeline.condensed(to: 20)
        let series = plot.series(few)
        let rows = few.slices.indices.map { index in
            [Words.clock(index * few.width)] + series.map { $0.values[index].map(plot.unit.words) ?? "–" }
        }
        markup.element("details") { markup in
            markup.element("summary", "Numbers")
            table(["from"] + series.map(\.name), rows, named: plot.title, &markup)
        }
    }
}
