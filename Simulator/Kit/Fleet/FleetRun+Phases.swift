import HTTPCore
import InboxClient
import InboxModel
import Platform

extension FleetRun {
    /// Runs all of it and says what it did and found.
    ///
    /// - Throws: `FleetError` if it cannot even begin.
    package func run(_ tell: @escaping @Sendable (LiveSnapshot) -> Void = { _ in }) async throws -> RunRecord
    {
        for app in apps.indices { try await prepare(app) }
        let executor = ground.executor
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: executor) { await self.keepWatching(tell) }
            await arrive()
            await load()
            await settle()
            await compare()
            phase = .over
        }
        for device in devices.indices { closeStream(device) }
        await finish()
        return record()
    }

    /// Waits for what is still under way when a run ends before its time.
    private func finish() async {
        let end = clock.now() + FleetRun.lastWait
        while underWay > 0, clock.now() < end {
            do { try await clock.sleep(for: .milliseconds(5)) } catch { return }
        }
    }

    private static let lastWait = Duration.seconds(5)

    /// Ends the run before its time: what was seen is reported.
    package func interrupt() { isInterrupted = true }

    // MARK: Phases

    private func arrive() async {
        let early = options.arrivals.early
        let begin = clock.now()
        for device in early {
            agenda.add(
                DueMatter(device: Int32(device), kind: .arrive),
                at: begin + options.ramp * (Double(device) / Double(early.count)))
        }
        await drive(until: begin + options.ramp)
        await drive(until: clock.now() + options.settleWithin) { run in
            run.devices[early].allSatisfy { $0.stands || $0.hasStopped }
        }
    }

    private func load() async {
        // What registering took is another question than what the load took.
        (phase, loadStart, recorder) = (.load, clock.now(), RunRecorder())
        started = clock.wall()
        loadEnd = loadStart + options.duration
        for device in options.arrivals.early { schedule(device, after: loadStart) }
        for device in options.arrivals.late {
            let due = Arrivals.delay(in: options.duration, using: &dice)
            agenda.add(DueMatter(device: Int32(device), kind: .arrive), at: loadStart + due)
        }
        let (executor, senders) = (ground.executor, senders)
        await withDiscardingTaskGroup { group in
            for sender in 0..<senders {
                group.addTask(executorPreference: executor) { await self.keepSending(sender) }
            }
            group.addTask(executorPreference: executor) { await self.keepHerding() }
            await drive(until: loadEnd)
        }
        loadTime = clock.now() - loadStart
        (loadTotals, loadOwn) = (recorder.totals, recorder.own(Usage(cpu: .zero, peakBytes: 0)))
        recorder = RunRecorder()
    }

    /// All come back, and tell and ask what they have to.
    private func settle() async {
        phase = .settling
        for device in devices.indices {
            devices[device].glances = []
            if !devices[device].isOnline { reconnect(device) }
        }
        await rest()
        for app in apps.indices where apps[app].ledger.messages.contains(where: \.isGradual) {
            await drive(until: clock.now() + FleetRun.backgroundTime)
            apps[app].ledger.settleGradual(at: moment(app))
        }
        for device in devices.indices { handle(.watching(false), device) }
        // Again, for what others told meanwhile.
        await rest()
    }

    /// Lets all devices tell and ask what they have to.
    private func rest() async {
        for device in devices.indices {
            handle(.reachable, device)
            handle(.hint, device)
        }
        await drive(until: clock.now() + options.settleWithin) { run in
            run.underWay == 0 && run.devices.allSatisfy { $0.isSettled }
        }
    }

    /// How long the server may go on delivering in the background before all must be there.
    private static let backgroundTime = Duration.seconds(10)

    // MARK: Comparison

    /// Compares every inbox with what it must hold, now that nothing changes any more.
    private func compare() async {
        phase = .comparing
        for device in devices.indices where devices[device].isBusy && !devices[device].hasStopped {
            if !isServerAway, !isInterrupted {
                wrong(.device, device, "settling", "it does not come to rest")
            }
        }
        let (executor, workers) = (ground.executor, options.workers)
        await withDiscardingTaskGroup { group in
            for _ in 0..<workers {
                group.addTask(executorPreference: executor) {
                    while let device = await self.nextToCompare() { await self.compare(device) }
                }
            }
        }
    }

    private func nextToCompare() -> Int? {
        guard compared < devices.count, !isServerAway, !(options.stopsAtFirst && isInterrupted) else {
            return nil
        }
        compared += 1
        return compared - 1
    }

    /// The whole list again, which must be what the core holds; and then what has not changed must be told so.
    private func compare(_ device: Int) async {
        guard devices[device].stands, !devices[device].hasStopped else { return }
        devices[device].kept = nil
        for look in [Glance.list, .list, .count, .pages(7)] {
            // A list that comes between two expiries may be another; the ledger knows.
            await perform(look, device)
        }
        guard let kept = devices[device].kept else { return }
        let core = devices[device].core
        guard case .person(let person) = core.stored.confirmed, let view = core.stored.view(of: person) else {
            return
        }
        let app = devices[device].app
        let held = lasting(listed(view.rows, in: app), in: app)
        let told = lasting(kept.list, in: app)
        if held != told { wrong(.device, device, "final list", differences(held, told)) }
        devices[device].wasCompared = true
    }

    /// Those that do not expire between two looks.
    private func lasting(_ list: [Listed], in app: Int) -> Set<Listed> {
        Set(list.filter { apps[app].ledger.messages[$0.message].lifeSeconds == nil })
    }

    private func differences(_ held: Set<Listed>, _ told: Set<Listed>) -> String {
        func words(_ list: Set<Listed>) -> String {
            list.map { "\($0.message)\($0.isUnread ? " unread" : "")" }.sorted().joined(separator: ", ")
        }
        return "holds \(words(held.subtracting(told))), was told \(words(told.subtracting(held)))"
    }
}

extension FleetDevice {
    /// Whether it has nothing to tell and nothing to ask.
    var isSettled: Bool { hasStopped || (!isBusy && (core.isSettled || !core.isEnabled)) }
}
