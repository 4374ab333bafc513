extension LoadReport {
    /// The report for people, line by line.
    package var lines: [String] {
        var lines = [
            "\(options.devices) devices, \(options.people) people, delivery \(delivery.rawValue), "
                + "\(seconds(loadTime)) of load",
            "sends: \(sent.answered) answered, \(sent.unanswered) not (\(sent.provenLater) of them arrived), "
                + "\(sent.toEveryone) to everyone, \(sent.shortLived) short-lived, \(sent.recalled) recalled",
            "lists checked: \(measurements.checkedLists), \(measurements.notModified.count) of them 304",
        ]
        lines += times
        let statuses = measurements.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        lines.append("answers: \(statuses.joined(separator: ", ")); unanswered: \(measurements.unanswered)")
        lines.append("outages: \(outages.count), the longest \(seconds(outages.longest))")
        lines += verdict
        return lines
    }

    private var times: [String] {
        var rows = Call.allCases.compactMap { call in
            measurements.answered[call].map { (call.rawValue, $0) }
        }
        rows.append(("304", measurements.notModified))
        let cells: [[String]] = rows.compactMap { name, histogram in
            guard let middle = histogram.percentile(50), let high = histogram.percentile(99) else {
                return nil
            }
            return [name, "\(histogram.count)", milliseconds(middle), milliseconds(high)]
        }
        return cells.isEmpty ? [] : table([["", "times", "p50", "p99"]] + cells)
    }

    /// Names to the left, numbers to the right.
    private func table(_ rows: [[String]]) -> [String] {
        rows.map { row in
            let numbers = row.dropFirst().map {
                String(repeating: " ", count: max(1, 11 - $0.utf8.count)) + $0
            }
            return row[0] + String(repeating: " ", count: max(0, 8 - row[0].utf8.count)) + numbers.joined()
        }
    }

    private var verdict: [String] {
        var lines = findings.first.map(\.words)
        if findings.count > findings.first.count {
            lines.append("and \(findings.count - findings.first.count) more differences")
        }
        if wasAbandoned {
            lines.append("gave up: the server was away for more than \(seconds(options.rideOut))")
        }
        lines.append(
            isRight
                ? "every inbox was right: \(right)"
                : "WRONG: \(right) of \(options.devices) inboxes were right, \(findings.count) differences")
        return lines
    }
}

extension Difference {
    /// The difference as a line of a report.
    package var words: String {
        var words = "at \(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst()) s: "
        words += device.map { "device \($0)" } ?? "a backend"
        words += ": \(source) \(kind.rawValue)"
        if let message { words += ": message \(message)" }
        return detail.isEmpty ? words : "\(words) (\(detail))"
    }
}

private func milliseconds(_ duration: Duration) -> String {
    let hundredths = duration.microseconds / 10
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
}
