/// A run as a handful of lines that a terminal shows in place.
package struct LiveView: Sendable {
    /// Columns of the terminal.
    package var width: Int
    package var isColoured: Bool

    /// Columns of the names at the left.
    private static let nameWidth = 11

    package init(width: Int, isColoured: Bool) {
        self.width = width
        self.isColoured = isColoured
    }

    /// The lines of a moment.
    package func lines(_ snapshot: LiveSnapshot) -> [String] {
        [
            progress(snapshot), devices(snapshot), requests(snapshot), spark(snapshot), errors(snapshot),
            reach(snapshot), own(snapshot),
        ].map { $0.words(width: width, isColoured: isColoured) }
    }

    /// What a terminal must be sent to show `lines` in the place of so many lines before.
    package static func redrawn(_ lines: [String], over before: Int) -> String {
        let up = before > 0 ? "\u{1B}[\(before)A" : ""
        // Each line is cleared alone, so that nothing flickers; what is left below is cleared last.
        return up + lines.map { "\r\u{1B}[2K\($0)\n" }.joined() + "\u{1B}[J"
    }

    // MARK: Lines

    private func named(_ name: String) -> LiveLine {
        var line = LiveLine()
        line.add(name + String(repeating: " ", count: max(1, LiveView.nameWidth - name.count)), .quiet)
        return line
    }

    private func progress(_ snapshot: LiveSnapshot) -> LiveLine {
        var line = named(snapshot.phase)
        let elapsed = Words.clock(Int(snapshot.elapsed.inSeconds))
        guard let total = snapshot.total, total > .zero else {
            line.add(elapsed)
            return line
        }
        let text = " \(elapsed) of \(Words.clock(Int(total.inSeconds)))"
        let room = min(50, max(0, width - LiveView.nameWidth - text.count))
        let done = min(room, Int(Double(room) * snapshot.elapsed.inSeconds / total.inSeconds))
        line.add(String(repeating: "━", count: done), .good)
        line.add(String(repeating: "━", count: room - done), .quiet)
        line.add(text)
        return line
    }

    private func devices(_ snapshot: LiveSnapshot) -> LiveLine {
        var line = named("devices")
        line.add(snapshot.devices.map(Words.number) ?? "–")
        line.add(" standing, ", .quiet)
        line.add(snapshot.connected.map(Words.number) ?? "–")
        line.add(" connections", .quiet)
        return line
    }

    private func requests(_ snapshot: LiveSnapshot) -> LiveLine {
        var line = named("requests")
        line.add("\(Words.rate(snapshot.rate))/s")
        for (name, percent) in [("p50", 50), ("p99", 99), ("p99.9", 99.9)] {
            line.add("  \(name) ", .quiet)
            line.add(Words.duration(snapshot.latency.percentile(percent)))
        }
        return line
    }

    private func spark(_ snapshot: LiveSnapshot) -> LiveLine {
        var line = named("p99, 1 min")
        line.add(Sparkline.words(snapshot.highTimes.suffix(max(0, width - LiveView.nameWidth))))
        return line
    }

    private func errors(_ snapshot: LiveSnapshot) -> LiveLine {
        var line = named("errors")
        line.add(Words.number(snapshot.errors), snapshot.errorRate > 0 ? .alarm : .plain)
        if snapshot.errorRate > 0 { line.add(" (\(Words.rate(snapshot.errorRate))/s)", .alarm) }
        line.add("  differences ", .quiet)
        line.add(Words.number(snapshot.differences), snapshot.differences > 0 ? .alarm : .good)
        return line
    }

    private func reach(_ snapshot: LiveSnapshot) -> LiveLine {
        var line = named("reach")
        line.add(Words.percent(snapshot.reach.share))
        line.add("  sync lag p50 ", .quiet)
        line.add(Words.duration(snapshot.lag.percentile(50)))
        line.add("  p99 ", .quiet)
        line.add(Words.duration(snapshot.lag.percentile(99)))
        return line
    }

    private func own(_ snapshot: LiveSnapshot) -> LiveLine {
        let lag = snapshot.loopLag.percentile(99)
        var line = named("simulator")
        line.add(
            Words.wholePercent(snapshot.cpu), (snapshot.cpu ?? 0) > OwnLoad.mostCPUShare ? .alarm : .plain)
        line.add(" of a core  own lag p99 ", .quiet)
        line.add(Words.duration(lag), (lag ?? .zero) > OwnLoad.mostLoopLag ? .alarm : .plain)
        return line
    }
}

extension LiveSnapshot {
    /// The moment as one line, for an output that is no terminal.
    package var words: String {
        let time = Words.clock(Int(elapsed.inSeconds))
        return [
            "\(phase) \(time)" + (total.map { " of \(Words.clock(Int($0.inSeconds)))" } ?? ""),
            "\(devices.map(Words.number) ?? "–") devices", "\(Words.rate(rate)) requests/s",
            "p50 \(Words.duration(latency.percentile(50)))", "p99 \(Words.duration(latency.percentile(99)))",
            "p99.9 \(Words.duration(latency.percentile(99.9)))", "errors \(Words.number(errors))",
            "reach \(Words.percent(reach.share))", "sync lag p99 \(Words.duration(lag.percentile(99)))",
            "differences \(Words.number(differences))", "own CPU \(Words.wholePercent(cpu))",
            "own lag p99 \(Words.duration(loopLag.percentile(99)))",
        ].joined(separator: ", ")
    }
}
