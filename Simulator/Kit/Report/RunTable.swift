/// The report for a terminal.
package struct RunTable {
    let record: RunRecord

    package init(_ record: RunRecord) { self.record = record }

    /// The report line by line, the verdict last.
    package var lines: [String] {
        let totals = record.totals
        var lines = [record.title, "", "\(Words.span(record.loadTime)) of load, \(rate)/s answered", sends]
        lines.append(
            "lists checked: \(Words.number(record.checked)); answers 304: \(Words.number(totals.notModified.count))"
        )
        lines += ["reach: \(reach)", "sync lag: \(RunTable.times(totals.lag))"]
        if let hints = record.hints.words { lines.append("hints: \(hints)") }
        lines += [""] + times + ["", statuses]
        lines += errors
        if record.outages.count > 0 {
            lines.append(
                "outages: \(record.outages.count), the longest \(Words.span(record.outages.longest))")
        }
        lines.append(own)
        if let warning = record.own.warning { lines.append(warning) }
        // What a file holds must not steer the terminal.
        return (lines + [""] + differences + [record.verdict.words]).map(Words.visible)
    }

    /// What stands over the times of a row.
    static let timeHeads = ["p50", "p90", "p99", "p99.9", "max"]

    /// A kind of request and its times.
    struct TimeRow {
        let name: String
        let histogram: Histogram

        /// One for each of `timeHeads`.
        var cells: [String] {
            [50, 90, 99, 99.9].map { Words.duration(histogram.percentile($0)) }
                + [Words.duration(histogram.longest)]
        }
    }

    /// Kinds of requests, then what is no kind.
    static func timeRows(_ totals: RunTotals) -> [TimeRow] {
        let kinds = totals.callNames.compactMap { name in
            totals.calls[name].map { TimeRow(name: name, histogram: $0) }
        }
        let others = [
            TimeRow(name: "304", histogram: totals.notModified),
            TimeRow(name: "no answer", histogram: totals.failed),
        ]
        return (kinds + others).filter { $0.histogram.count > 0 }
    }

    // MARK: Parts

    private var rate: String {
        Words.rate(Double(record.totals.answers.count) / max(record.loadTime.inSeconds, 0.001))
    }

    private var sends: String {
        let sends = record.sends
        return "sends: \(Words.number(sends.answered)) answered, \(Words.number(sends.unanswered)) not "
            + "(\(Words.number(sends.arrivedUnanswered)) of them arrived), "
            + "\(Words.number(sends.toEveryone)) to everyone, \(Words.number(sends.shortLived)) short-lived, "
            + "\(Words.number(sends.recalled)) recalled"
    }

    private var reach: String {
        let reach = record.totals.reach
        return "\(Words.percent(reach.share)), \(Words.number(reach.received)) of "
            + "\(Words.number(reach.expected)) messages received"
    }

    private static func times(_ histogram: Histogram) -> String {
        let cells = TimeRow(name: "", histogram: histogram).cells
        return zip(timeHeads, cells).map { "\($0) \($1)" }.joined(separator: ", ")
    }

    private var times: [String] {
        let rows = RunTable.timeRows(record.totals)
        let cells = rows.map { [$0.name, Words.number($0.histogram.count)] + $0.cells }
        return cells.isEmpty ? [] : TextTable.lines([["", "answers"] + RunTable.timeHeads] + cells)
    }

    private var statuses: String {
        let counts = record.totals.statuses.sorted { $0.key < $1.key }
            .map { "\($0.key): \(Words.number($0.value))" }
        return "answers: \(counts.joined(separator: ", ")); unanswered: \(Words.number(record.unanswered))"
    }

    private var errors: [String] {
        let reasons = record.totals.errors.sorted.map { "\($0.reason): \(Words.number($0.count))" }
        return reasons.isEmpty ? [] : ["errors: \(reasons.joined(separator: ", "))"]
    }

    private var own: String {
        let own = record.own
        return
            "simulator: \(Words.span(own.cpu)) of CPU (\(Words.wholePercent(own.cpuShare.mean)) of a core), at most "
            + "\(Words.bytes(own.peakBytes)), own lag p99 \(Words.duration(own.loopLag.percentile(99)))"
    }

    private var differences: [String] {
        let verdict = record.verdict
        guard verdict.count > 0 else { return [] }
        let rest = verdict.count - verdict.first.count
        return verdict.kinds.map { "\(Words.number($0.count)) × \($0.kind)" }
            + verdict.first.map { "  \($0)" }
            + (rest > 0 ? ["  and \(Words.number(rest)) more"] : [])
    }
}
