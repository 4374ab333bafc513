import InboxClient
import InboxModel
import Platform

/// What whoever does harm to the servers has to tell a run, so that it knows what is right.
extension FleetRun {
    /// Whether the load has begun: from then on it is counted when harm is due.
    package var hasLoadBegun: Bool { phase != .arriving }

    /// Whether devices still do what is due.
    package var isLoading: Bool { phase == .arriving || phase == .load }

    /// Whether it has come to its end.
    package var isOver: Bool { phase == .over || isInterrupted || isServerAway }

    /// Does something while nothing of the run is under way but event streams.
    package func quietly(_ work: @Sendable () async throws -> Void) async throws {
        isHeld = true
        defer { isHeld = false }
        while underWay > 0 || sending > 0 { try await clock.sleep(for: .milliseconds(5)) }
        try await work()
    }

    /// Keeps what is known of the servers, as a dump keeps what they know.
    package func rememberState() { remembered = apps.map(\.ledger) }

    /// The servers are as they were when their state was remembered.
    package func returnToRemembered() {
        for (app, ledger) in zip(apps.indices, remembered) {
            apps[app].ledger.returnTo(ledger)
            // What was sent since is not known any more, and its ids are not given again.
            let count = ledger.messages.count
            apps[app].answered = apps[app].answered.filter { $0 < count }
            apps[app].changes = ChangeTimes()
        }
        for device in devices.indices {
            // What it knew may be of a time that never was.
            (devices[device].kept, devices[device].ticket, devices[device].list) = (nil, nil, [])
            devices[device].isLost = devices[device].stands
            logInAnew(device)
        }
        wasReturned = true
    }

    /// Somebody logs in on a device of which the servers now know another login than it does, or none for certain.
    ///
    /// No device can tell by itself: a backend may have changed its login just as well.
    private func logInAnew(_ device: Int) {
        let (app, local) = (devices[device].app, devices[device].local)
        let here = apps[app].number(of: devices[device].core.person)
        guard devices[device].stands, apps[app].people > 1,
            apps[app].ledger.isLoginInDoubt(of: local) || apps[app].ledger.person(on: local) != here
        else { return }
        let others = (0..<apps[app].people).filter { $0 != here }
        guard let person = devices[device].random.element(of: others) else { return }
        handle(.logIn(Login(apps[app].person(person))), device)
    }

    /// The database's clock is about to be set forward.
    package func willStepDatabaseClock(by step: Duration) {
        for app in apps.indices { apps[app].ledger.willStepClock(byMilliseconds: step.milliseconds) }
    }

    /// The database's clock has been set forward.
    package func didStepDatabaseClock(by step: Duration) {
        for app in apps.indices { apps[app].ledger.didStepClock(byMilliseconds: step.milliseconds) }
    }

    /// The clocks of all devices are set.
    package func stepDeviceClocks(by step: Duration) { deviceClocks += step }
}
