import InboxWire
import Platform

/// A report as one page that needs nothing else: no script, no font, no address.
package struct RunPage {
    let record: RunRecord
    /// As much of the timeline as the plots show.
    let timeline: Timeline

    package init(_ record: RunRecord) {
        self.record = record
        timeline = record.totals.timeline.within(record.loadTime)
    }

    /// The page, which is HTML and XML at once.
    package var html: String {
        var markup = Markup()
        markup.raw("<!DOCTYPE html>\n")
        markup.element("html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"]) { markup in
            markup.element("head") { writeHead(&$0) }
            markup.element("body") { markup in
                markup.element("main") { writeBody(&$0) }
            }
        }
        return markup.text + "\n"
    }

    private func writeHead(_ markup: inout Markup) {
        markup.empty("meta", ["charset": "utf-8"])
        markup.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        markup.empty("meta", ["name": "color-scheme", "content": "light dark"])
        // Nothing is loaded and nothing runs, whatever the texts of a run hold.
        markup.empty(
            "meta",
            [
                "http-equiv": "Content-Security-Policy",
                "content": "default-src 'none'; style-src 'unsafe-inline'",
            ])
        markup.element("title", "\(face.title)\(record.title)")
        markup.element("style") { markup in markup.raw(PageStyle.sheet) }
    }

    private func writeBody(_ markup: inout Markup) {
        writeHeader(&markup)
        writeTiles(&markup)
        markup.element("div", ["class": "grid"]) { markup in
            writeDifferences(&markup)
            heading("Times", &markup)
            for plot in RunPlots.times { write(plot, &markup) }
            for plot in histograms { write(plot, &markup) }
            writeCalls(&markup)
            heading("Load", &markup)
            for plot in RunPlots.load { write(plot, &markup) }
            writeCounts(&markup)
            heading("The simulator itself", &markup)
            for plot in RunPlots.own { write(plot, &markup) }
            heading("The run", &markup)
            writeOptions(&markup)
        }
        markup.element("footer") { writeFooter(&$0) }
    }

    private var histograms: [HistogramPlot] {
        [
            HistogramPlot(
                title: "Latency, all answers", counted: "answers",
                note: "How long answers took, 304 included.",
                histogram: record.totals.answers),
            HistogramPlot(
                title: "Sync lag, all messages", counted: "messages",
                note: "How long messages took from accepted to known.", histogram: record.totals.lag),
        ]
    }

    private func writeHeader(_ markup: inout Markup) {
        let verdict = record.verdict
        markup.element("header") { markup in
            markup.element("h1", record.title)
            markup.element("p", ["class": "note"], subtitle)
            markup.element("p", ["class": "verdict \(face.style)"]) { markup in
                markup.element("span", ["class": "sign", "aria-hidden": "true"], face.sign)
                markup.write(headline)
            }
            for warning in verdict.notes.map({ "\($0.prefix(1).uppercased())\($0.dropFirst())." })
                + [record.own.warning].compactMap(\.self)
            {
                markup.element("p", ["class": "verdict warning"]) { markup in
                    markup.element("span", ["class": "sign", "aria-hidden": "true"], "!")
                    markup.write(warning)
                }
            }
        }
    }

    /// How a verdict looks: before the page's title, as a class of the style sheet, and as a sign.
    private var face: (title: String, style: String, sign: String) {
        switch record.verdict.outcome {
        case .right: ("", "right", "✓")
        case .undecided: ("UNDECIDED: ", "warning", "?")
        case .wrong: ("WRONG: ", "wrong", "✗")
        }
    }

    private var headline: String {
        let verdict = record.verdict
        let share = "\(Words.number(verdict.right)) of \(Words.number(verdict.devices))"
        return switch verdict.outcome {
        case .right: "Every inbox was right: \(share)."
        case .undecided: "Undecided: nothing was wrong, \(share) inboxes were compared."
        case .wrong: "Wrong: \(share) inboxes were right, \(Words.number(verdict.count)) differences."
        }
    }

    private var subtitle: String {
        let shards = record.shards.count > 1 ? ", shared among \(record.shards.count) processes" : ""
        return "Run \(record.run), \(record.started.secondsText.replacing("T", with: " ")) UTC, "
            + "\(Words.span(record.loadTime)) of load\(shards), by \(record.tool)"
    }

    private func writeFooter(_ markup: inout Markup) {
        let totals = record.totals
        markup.element(
            "p",
            "Times are from sending a request to its whole answer. A percentile is never below the true one and "
                + "at most \(Words.percent(totals.notModified.relativeError)) above it; in plots over time, "
                + "\(Words.percent(TimeSlice().latency.relativeError)). Plots show slices of "
                + "\(totals.timeline.width) s, wider ones where there is little room.")
    }
}
