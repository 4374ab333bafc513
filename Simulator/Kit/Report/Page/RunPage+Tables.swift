import Platform

extension RunPage {
    /// A table whose first column names its rows.
    func table(_ head: [String], _ rows: [[String]], named name: String, _ markup: inout Markup) {
        // Reachable by keyboard, since on a phone it scrolls.
        markup.element(
            "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": "\(name), numbers"]
        ) { markup in
            markup.element("table") { markup in
                markup.element("thead") { markup in
                    markup.element("tr") { markup in
                        for cell in head { markup.element("th", ["scope": "col"], cell) }
                    }
                }
                markup.element("tbody") { markup in
                    for row in rows { write(row, &markup) }
                }
            }
        }
    }

    private func write(_ row: [String], _ markup: inout Markup) {
        markup.element("tr") { markup in
            for (column, cell) in row.enumerated() {
                if column == 0 {
                    markup.element("th", ["scope": "row"], cell)
                } else {
                    markup.element("td", cell)
                }
            }
        }
    }

    /// Times by kind of request.
    func writeCalls(_ markup: inout Markup) {
        card("By kind of request", isAcross: true, &markup) { markup in
            let rows = RunTable.timeRows(record.totals).map {
                [$0.name, Words.number($0.histogram.count)] + $0.cells
            }
            table(["", "answers"] + RunTable.timeHeads, rows, named: "By kind of request", &markup)
        }
    }

    /// Answers by status, and what went wrong.
    func writeCounts(_ markup: inout Markup) {
        let totals = record.totals
        card("Statuses", isAcross: false, &markup) { markup in
            let all = max(1, totals.statuses.values.reduce(0, +))
            let rows = totals.statuses.sorted { $0.key < $1.key }.map {
                ["\($0.key)", Words.number($0.value), Words.percent(Double($0.value) / Double(all))]
            }
            table(["status", "answers", "share"], rows, named: "Statuses", &markup)
        }
        card("Errors by reason", isAcross: false, &markup) { markup in
            let rows = totals.errors.sorted.map { [$0.reason, Words.number($0.count)] }
            if rows.isEmpty {
                markup.element("p", ["class": "none"], "None.")
            } else {
                table(["reason", "times"], rows, named: "Errors by reason", &markup)
            }
            let outages = record.outages
            if outages.count > 0 {
                markup.element(
                    "p", ["class": "note"],
                    "The server was away \(Words.number(outages.count)) times, "
                        + "\(Words.duration(outages.longest)) at the longest.")
            }
        }
    }

    /// What the run was asked to do, and what it sent.
    func writeOptions(_ markup: inout Markup) {
        card("Options", isAcross: false, &markup) { markup in
            let rows = record.options.map { [$0.name, $0.value] }
            table(["option", "value"], rows, named: "Options", &markup)
        }
        card("Sends", isAcross: false, &markup) { markup in
            let sends = record.sends
            let rows = [
                ("answered", sends.answered), ("unanswered", sends.unanswered),
                ("unanswered, but arrived", sends.arrivedUnanswered), ("to everyone", sends.toEveryone),
                ("short-lived", sends.shortLived), ("recalled", sends.recalled),
            ]
            table(
                ["messages", ""], rows.map { [$0.0, Words.number($0.1)] }, named: "Sends", &markup)
            if let hints = record.hints.words {
                markup.element("p", ["class": "note"], "Hints over streams: \(hints).")
            }
        }
    }

    /// What was not right, if anything was.
    func writeDifferences(_ markup: inout Markup) {
        let verdict = record.verdict
        guard verdict.count > 0 else { return }
        heading("Differences", &markup)
        card("By kind", isAcross: false, &markup) { markup in
            let rows = verdict.kinds.map { [$0.kind, Words.number($0.count)] }
            table(["what an inbox did", "times"], rows, named: "Differences", &markup)
        }
        card("The first of them", isAcross: true, &markup) { markup in
            markup.element("ol", ["class": "lines"]) { markup in
                for line in verdict.first { markup.element("li", line) }
            }
            if verdict.count > verdict.first.count {
                markup.element(
                    "p", ["class": "note"], "And \(Words.number(verdict.count - verdict.first.count)) more.")
            }
        }
    }

    /// A heading over the cards that follow.
    func heading(_ words: String, _ markup: inout Markup) { markup.element("h2", words) }

    private func card(
        _ title: String, isAcross: Bool, _ markup: inout Markup, _ content: (inout Markup) -> Void
    ) {
        markup.element("section", ["class": isAcross ? "card across" : "card"]) { markup in
            markup.element("h3", title)
            content(&markup)
        }
    }
}
