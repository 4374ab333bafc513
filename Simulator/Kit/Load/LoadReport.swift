/// What a run did and found.
package struct LoadReport: Sendable {
    package var options: LoadOptions
    package var delivery: Delivery
    package var measurements: Measurements
    package var findings: Findings
    /// Devices whose inbox was compared at the end and always right.
    package var right: Int
    package var sent: Sent
    package var outages: Outages
    /// Of the load alone, without registration and comparison.
    package var loadTime: Duration
    /// The server was away for longer than the run rides out.
    package var wasAbandoned: Bool

    /// Messages by what became of them.
    package struct Sent: Sendable {
        package var answered = 0
        package var unanswered = 0
        package var recalled = 0
        package var shortLived = 0
        package var toEveryone = 0
        /// Unanswered, but seen in a list.
        package var provenLater = 0
    }

    /// Times at which the server was away.
    package struct Outages: Sendable {
        package var count: Int
        package var longest: Duration
    }

    /// Every inbox was right, and the run came to its end.
    package var isRight: Bool { !wasAbandoned && findings.count == 0 && right == options.devices }
}

extension LoadRun {
    func report() -> LoadReport {
        var sent = LoadReport.Sent()
        for (number, message) in ledger.messages.enumerated() {
            if answeredSends.contains(number) { sent.answered += 1 } else { sent.unanswered += 1 }
            if message.accepted.isCertain, !answeredSends.contains(number) { sent.provenLater += 1 }
            if message.recalled.isCertain { sent.recalled += 1 }
            if message.lifeSeconds != nil { sent.shortLived += 1 }
            if message.target == .everyone { sent.toEveryone += 1 }
        }
        let right = devices.indices.count { device in
            !devices[device].hasStopped && devices[device].wasCompared
                && !findings.devices.contains(device)
        }
        return LoadReport(
            options: options, delivery: delivery, measurements: measurements, findings: findings,
            right: right,
            sent: sent, outages: LoadReport.Outages(count: outage.count, longest: outage.longest),
            loadTime: loadTime, wasAbandoned: isServerAway)
    }

    /// A line every other second.
    func keepTelling(_ progress: @Sendable (String) -> Void) async {
        var (before, told) = (measurements, clock.now())
        while true {
            do { try await pause(LoadRun.tellingInterval) } catch { return }
            let now = clock.now()
            progress(line(since: before, within: now - told))
            (before, told) = (measurements, now)
        }
    }

    static let tellingInterval = Duration.seconds(2)

    private func line(since before: Measurements, within interval: Duration) -> String {
        func rate(_ count: (Measurements) -> Int) -> String {
            "\(Int(Double(count(measurements) - count(before)) / max(interval.inSeconds, 0.001)))/s"
        }
        let p99 = measurements.answered[.list]?.percentile(99).map { "\($0.microseconds / 1000) ms" } ?? "-"
        return [
            elapsedText, "\(devices.count { $0.user != nil }) devices",
            "lists \(rate { $0.count(of: .list) })", "304 \(rate { $0.notModified.count })",
            "marks \(rate { $0.count(of: .read) + $0.count(of: .delete) })",
            "sends \(rate { $0.count(of: .send) })", "unanswered \(rate(\.unanswered))",
            "list p99 \(p99)", "differences \(findings.count)",
        ].joined(separator: ", ")
    }
}
