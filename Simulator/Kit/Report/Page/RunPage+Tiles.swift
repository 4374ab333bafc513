extension RunPage {
    /// The figures that are asked for first.
    func writeTiles(_ markup: inout Markup) {
        markup.element("dl", ["class": "tiles"]) { markup in
            for tile in tiles {
                markup.element("div", ["class": "tile"]) { markup in
                    markup.element("dt", tile.name)
                    markup.element("dd", ["class": "value"], tile.value)
                    markup.element("dd", ["class": "note"], tile.note)
                }
            }
        }
    }

    /// A figure, what it is, and what belongs to it.
    struct Tile {
        let name: String
        let value: String
        let note: String
    }

    private var tiles: [Tile] {
        let (totals, answers) = (record.totals, record.totals.answers)
        let rate = Double(answers.count) / max(record.loadTime.inSeconds, 0.001)
        let all = answers.count + totals.failed.count
        return [
            Tile(
                name: "Requests", value: "\(Words.rate(rate))/s",
                note:
                    "\(Words.number(answers.count)) answers, \(Words.number(totals.notModified.count)) of them 304"
            ),
            Tile(
                name: "Latency p50", value: Words.duration(answers.percentile(50)),
                note: "mean \(Words.duration(answers.mean))"),
            Tile(
                name: "Latency p99", value: Words.duration(answers.percentile(99)),
                note:
                    "p99.9 \(Words.duration(answers.percentile(99.9))), max \(Words.duration(answers.longest))"
            ),
            Tile(
                name: "Errors", value: Words.number(totals.errors.total),
                note: all > 0 ? "\(Words.percent(Double(totals.errors.total) / Double(all))) of requests" : ""
            ),
            Tile(
                name: "Reach", value: Words.percent(totals.reach.share),
                note:
                    "\(Words.number(totals.reach.received)) of \(Words.number(totals.reach.expected)) messages"
            ),
            Tile(
                name: "Sync lag p50", value: Words.duration(totals.lag.percentile(50)),
                note:
                    "p99 \(Words.duration(totals.lag.percentile(99))), max \(Words.duration(totals.lag.longest))"
            ),
            Tile(
                name: "Lists checked", value: Words.number(record.checked),
                note: "\(Words.number(record.verdict.count)) differences"),
            ownTile,
        ]
    }

    private var ownTile: Tile {
        let own = record.own
        let memory = own.peakBytes > 0 ? ", \(Words.bytes(own.peakBytes))" : ""
        return Tile(
            name: "Simulator's CPU", value: Words.wholePercent(own.cpuShare.mean),
            note: "\(Words.span(own.cpu)) in all\(memory)")
    }
}
