extension LoadRun {
    /// How long the server may go on delivering in the background before all must be there.
    private static let backgroundTime = Duration.seconds(10)

    /// Compares every inbox with what it must hold, now that nothing changes any more.
    func compareAll() async {
        if ledger.messages.contains(where: \.isGradual) {
            do { try await clock.sleep(for: LoadRun.backgroundTime) } catch { return }
            ledger.settleGradual(at: moment())
        }
        await inParallel(0..<devices.count) { run, device in await run.compare(device) }
        // What a later device proved counts for those before it too: the server did the same for all of them.
        let now = moment()
        for device in devices.indices where !devices[device].hasStopped {
            guard let seen = devices[device].seen else { continue }
            let span = Span(
                start: Moment(stamp: now.stamp, milliseconds: seen.start.milliseconds),
                end: Moment(stamp: now.stamp, milliseconds: seen.end.milliseconds))
            note(ledger.check(devices[device].list, of: device, during: span, source: "final list"))
        }
    }

    private func compare(_ device: Int) async {
        guard !devices[device].hasStopped, devices[device].user != nil else { return }
        do {
            try await refresh(device, isConditional: false)
            let (before, validator) = (devices[device].list, devices[device].validator)
            try await refresh(device)
            if devices[device].validator != validator, devices[device].list == before {
                findings.add(
                    Difference(
                        .validator, device: device, in: ("final list", elapsed.milliseconds),
                        detail: "a new Last-Modified, although nothing changed"))
            }
            devices[device].wasCompared = true
        } catch {
            devices[device].hasStopped = true
        }
    }
}
