/// The plots of a report.
enum RunPlots {
    /// What devices and operators feel.
    static let times = [latency, syncLag]
    /// What was asked of the server, and what went wrong.
    static let load = [requests, errors, devices, reach]
    /// The simulator itself.
    static let own = [cpu, loopLag]

    private static let latency = TimePlot(
        title: "Latency", axis: "time to the whole answer, logarithmic", unit: .time, shape: .logarithmic,
        note: "All answers of each moment; the lines part where some wait much longer than most.",
        isBroad: true
    ) { percentiles($0, of: \.latency) }

    private static let syncLag = TimePlot(
        title: "Sync lag", axis: "accepted to known, logarithmic", unit: .time, shape: .logarithmic,
        note: "From when the server accepted a message to when a device knew of it.", isBroad: true
    ) { percentiles($0, of: \.lag) }

    private static let requests = TimePlot(
        title: "Requests", axis: "answers per second", unit: .perSecond, shape: .stack,
        note: "By kind, the most frequent below; an answer 304 counts for its kind."
    ) { timeline in
        let kinds = Call.all.map { call in (call, timeline.slices.reduce(0) { $0 + $1.count(of: call) }) }
            .filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }.map(\.0)
        let shown = kinds.prefix(kinds.count > shownKinds + 1 ? shownKinds : shownKinds + 1)
        var series = zip(shown, PlotSeries.Colour.allCases).map { call, colour in
            PlotSeries(call.rawValue, colour, rates(timeline) { $0.count(of: call) })
        }
        let others = kinds.dropFirst(shown.count)
        if !others.isEmpty {
            series.append(
                PlotSeries(
                    "others", .grey,
                    rates(timeline) { slice in others.reduce(0) { $0 + slice.count(of: $1) } }))
        }
        return series
    }

    /// Kinds with a colour of their own.
    private static let shownKinds = 6

    private static let errors = TimePlot(
        title: "Errors", axis: "errors per second", unit: .perSecond, shape: .stack,
        note: "Requests without an answer that counts: connection lost, 5xx, 429."
    ) { timeline in
        var all = ReasonCounts()
        for slice in timeline.slices { all.merge(slice.errors) }
        let shown = all.sorted.prefix(errorColours.count - 1).map(\.reason)
        var series = zip(shown, errorColours).map { reason, colour in
            PlotSeries(reason, colour, rates(timeline) { $0.errors.byReason[reason] ?? 0 })
        }
        if all.byReason.count > shown.count {
            series.append(
                PlotSeries(
                    "others", .grey,
                    rates(timeline) { slice in
                        slice.errors.total - shown.reduce(0) { $0 + (slice.errors.byReason[$1] ?? 0) }
                    }))
        }
        return series
    }

    private static let errorColours: [PlotSeries.Colour] = [.red, .orange, .violet, .teal, .grey]

    private static let devices = TimePlot(
        title: "Devices", axis: "devices", unit: .devices, shape: .lines,
        note: "Devices that have registered, and connections that are open to the server."
    ) { timeline in
        [
            PlotSeries("standing", .blue, timeline.slices.map { $0.devices.map(Double.init) }),
            PlotSeries("connections", .orange, timeline.slices.map { $0.connected.map(Double.init) }),
        ]
    }

    private static let reach = TimePlot(
        title: "Reach", axis: "received of expected, so far", unit: .share, shape: .shares,
        note: "Of all that devices had to get until then; what is under way is still missing."
    ) { timeline in
        var sum = Reach()
        let shares = timeline.slices.map { slice -> Double? in
            sum.merge(slice.reach)
            return sum.share
        }
        return [PlotSeries("reach", .green, shares)]
    }

    private static let cpu = TimePlot(
        title: "The simulator's own CPU", axis: "share of one core", unit: .share, shape: .lines,
        note: "Of the busiest process; above the line it is the simulator that is slow, not the server.",
        limit: (OwnLoad.mostCPUShare, "its limit")
    ) { timeline in
        [
            PlotSeries("mean", .blue, timeline.slices.map(\.cpu.mean)),
            PlotSeries(
                "highest", .grey, timeline.slices.map { $0.cpu.samples > 0 ? $0.cpu.highest : nil }),
        ]
    }

    private static let loopLag = TimePlot(
        title: "The simulator's own lag", axis: "lateness of its timers, logarithmic", unit: .time,
        shape: .logarithmic,
        note: "How late its own timers were; above the line, latencies hold much of its own waiting.",
        limit: (Double(OwnLoad.mostLoopLag.microseconds), "its limit")
    ) { timeline in
        [
            PlotSeries("p99", .orange, values(timeline, of: \.loopLag) { $0.percentile(99) }),
            PlotSeries("max", .grey, values(timeline, of: \.loopLag) { $0.longest }),
        ]
    }

    // MARK: Series

    private static func percentiles(
        _ timeline: Timeline, of path: KeyPath<TimeSlice, Histogram>
    ) -> [PlotSeries] {
        [
            PlotSeries("p50", .blue, values(timeline, of: path) { $0.percentile(50) }),
            PlotSeries("p99", .orange, values(timeline, of: path) { $0.percentile(99) }),
            PlotSeries("p99.9", .red, values(timeline, of: path) { $0.percentile(99.9) }),
            PlotSeries("max", .grey, values(timeline, of: path) { $0.longest }),
        ]
    }

    /// Microseconds; a logarithmic axis knows no zero.
    private static func values(
        _ timeline: Timeline, of path: KeyPath<TimeSlice, Histogram>, _ value: (Histogram) -> Duration?
    ) -> [Double?] {
        timeline.slices.map { value($0[keyPath: path]).map { max(1, Double($0.microseconds)) } }
    }

    private static func rates(_ timeline: Timeline, _ count: (TimeSlice) -> Int) -> [Double?] {
        timeline.slices.enumerated().map { Double(count($1)) / timeline.seconds(ofSlice: $0) }
    }
}
