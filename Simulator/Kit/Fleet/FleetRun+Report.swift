import HTTPCore
import InboxClient
import InboxModel
import Platform

extension FleetRun {
    /// Looks at the run and at itself, and tells what it sees.
    func keepWatching(_ tell: @Sendable (LiveSnapshot) -> Void) async {
        var (cpu, told) = (ground.cpu(), clock.now())
        var ticks = 0
        while phase != .over {
            let asleep = clock.now()
            do { try await clock.sleep(for: FleetRun.lookInterval) } catch { return }
            let now = clock.now()
            ticks += 1
            lookForHints()
            let (used, passed) = (ground.cpu(), now - told)
            if ticks.isMultiple(of: 10), passed > .zero {
                recorder.sample(
                    OwnSample(
                        devices: devices.count(where: \.stands), connected: openStreams,
                        cpuShare: (used - cpu).inSeconds / passed.inSeconds,
                        loopLag: now - asleep - FleetRun.lookInterval),
                    at: loadTimeNow)
                (cpu, told) = (used, now)
            }
            if ticks >= 10, ticks.isMultiple(of: 5) { tell(snapshot()) }
        }
    }

    static let lookInterval = Duration.milliseconds(100)

    private func snapshot() -> LiveSnapshot {
        recorder.snapshot(
            phase.rawValue, at: phase == .load ? loadTimeNow : elapsed,
            of: phase == .load ? options.duration : nil, differences: findings.count)
    }

    /// All that was done and found.
    func record() -> RunRecord {
        let right = devices.indices.count { device in
            devices[device].wasCompared && !devices[device].hasStopped && !findings.devices.contains(device)
        }
        var verdict = RunVerdict(findings, devices: devices.count, right: right)
        (verdict.wasAbandoned, verdict.wasInterrupted) = (isServerAway, isInterrupted)
        var record = RunRecord(
            options.profile.name, run: options.sharedRun, by: "simulator",
            started: started, loadTime: loadTime, options: settings, verdict: verdict)
        record.totals = totals
        record.sends = sends
        record.outages.count = outage.count
        record.outages.longest = outage.longest
        if let hintWatch { record.hints = hintWatch.counts }
        record.checked = checked
        record.unanswered = unanswered
        return record
    }

    /// Of the load alone; what was on its way at its end arrived later.
    private var totals: RunTotals {
        let later = recorder.totals
        guard loadTime > .zero else { return later }
        var totals = loadTotals
        totals.calls["refresh"] = refreshes
        // Exactly, now that all was compared: who never got it was missed, or it had gone before.
        totals.reach.received += later.reach.received
        totals.reach.expected = totals.reach.received + (findings.counts[.missing] ?? 0)
        totals.lag.merge(later.lag)
        return totals
    }

    private var sends: RunRecord.Sends {
        var sends = RunRecord.Sends()
        for app in apps {
            for (number, message) in app.ledger.messages.enumerated() {
                if app.answered.contains(number) { sends.answered += 1 } else { sends.unanswered += 1 }
                if message.accepted.isCertain, !app.answered.contains(number) { sends.arrivedUnanswered += 1 }
                if message.recalled.isCertain { sends.recalled += 1 }
                if message.lifeSeconds != nil { sends.shortLived += 1 }
                if message.target == .everyone { sends.toEveryone += 1 }
            }
        }
        return sends
    }

    private var settings: [RunRecord.Option] {
        let choices = apps.map { app in
            "\(app.ledger.delivery.rawValue)/\(app.ledger.filter == .off ? (app.filter == .off ? "off" : "client") : "server")"
        }
        return [
            .init("profile", options.profile.name), .init("seed", "\(options.seed)"),
            .init("devices", "\(options.devices)"), .init("people", "\(options.people)"),
            .init("apps", choices.joined(separator: ", ")),
            .init("server", ground.bases.map(\.description).joined(separator: ", ")),
            .init("use every", "\(options.profile.useSeconds) s"),
            .init("sends", "\(options.sendRate)/s"), .init("duration", "\(options.duration.inSeconds) s"),
        ]
    }

    /// What the simulator took itself, with what only its process knows.
    package func recorded(_ usage: Usage) -> OwnLoad {
        var own = loadTime > .zero ? loadOwn : recorder.own(usage)
        (own.cpu, own.peakBytes) = (usage.cpu, usage.peakBytes)
        return own
    }
}
