import ClientCore
import Foundation
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// What the users of devices do, and what their cores want done for it.
extension FleetRun {
    /// Does what is due.
    func fire(_ matter: DueMatter, dueAt due: Duration) {
        let device = Int(matter.device)
        guard !devices[device].hasStopped else { return }
        switch matter.kind {
        case .arrive: arrive(device)
        case .use:
            schedule(device, after: due)
            use(device, dueAt: due)
        case .herd: use(device, dueAt: due)
        case .reconnect: reconnect(device)
        case .wake(let number):
            if devices[device].wakes == number { handle(.woken, device) }
        }
    }

    private func arrive(_ device: Int) {
        if devices[device].watches, openStreams < options.mostStreams { handle(.watching(true), device) }
        handle(.hint, device)
        if chance(options.profile.loggedIn, device) {
            logIn(device, as: devices[device].local % apps[devices[device].app].people)
        }
        if phase == .load { schedule(device, after: clock.now()) }
    }

    /// The next use, counted from when this one was due, so that no answer delays it.
    func schedule(_ device: Int, after due: Duration) {
        agenda.add(
            DueMatter(device: Int32(device), kind: .use),
            at: due + pause(mean: options.profile.useSeconds, of: device))
    }

    /// Somebody takes the device up.
    private func use(_ device: Int, dueAt due: Duration) {
        guard phase == .load else { return }
        let profile = options.profile
        if chance(profile.logins, device) { changeLogin(device) }
        mark(device)
        if devices[device].isOnline, devices[device].usedAt == nil { devices[device].usedAt = due }
        devices[device].refreshes += 1
        handle(.refresh(RefreshID(devices[device].refreshes)), device)
        look(device)
        if devices[device].isOnline, chance(profile.offline, device) {
            devices[device].isOnline = false
            devices[device].usedAt = nil  // nobody waits for what cannot come
            dropStream(device)
            let back = clock.now() + pause(mean: profile.offlineSeconds, of: device)
            agenda.add(DueMatter(device: Int32(device), kind: .reconnect), at: back)
        }
    }

    func reconnect(_ device: Int) {
        devices[device].isOnline = true
        handle(.reachable, device)
    }

    // MARK: Choices

    private func changeLogin(_ device: Int) {
        let app = apps[devices[device].app]
        let person = app.number(of: devices[device].core.person)
        logIn(device, as: app.ledger.nextPerson(after: person, using: &devices[device].random))
    }

    /// Logs in as a person who has room for another device, or out.
    ///
    /// Only once an earlier change was answered: the ledger knows one at a time.
    private func logIn(_ device: Int, as number: Int?) {
        let (app, core) = (devices[device].app, devices[device].core)
        let isSettled = core.stored.confirmed == .person(core.person) || core.stored.confirmed == .unknown
        guard isSettled, core.stored.outbox.stretches.count == 1, clock.now() >= devices[device].loginDoubt
        else {
            return
        }
        if let number, !apps[app].ledger.hasRoom(for: number) { return }
        handle(.logIn(Login(number.map { apps[app].person($0) })), device)
    }

    /// Marks some of what is shown.
    private func mark(_ device: Int) {
        let profile = options.profile
        let chosen: [(MessageMark, Double)] = [
            (.read, profile.reads), (.unread, profile.unreads), (.delete, profile.deletes),
        ]
        let wanted = chosen.filter { chance($0.1, device) }.map(\.0)
        guard !wanted.isEmpty else { return }
        let rows = devices[device].core.shown(at: deviceTime).rows
        for mark in wanted {
            let ids = rows.filter { row in
                switch mark {
                case .read: row.isUnread && chance(0.5, device)
                // Of a broadcast, whose marks lie in two inboxes, the ledger cannot tell which was the last.
                case .unread: !row.isUnread && row.place != .app && chance(0.3, device)
                case .delete: chance(0.15, device)
                }
            }.map(\.id)
            if mark == .delete, let last = ids.last { devices[device].deleted = last }
            if !ids.isEmpty { handle(.mark(mark, ids), device) }
        }
    }

    /// Asks what a user asks beside: for a body, the count, the whole list.
    private func look(_ device: Int) {
        let profile = options.profile
        if chance(profile.opens, device),
            let row = devices[device].random.element(of: devices[device].core.shown(at: deviceTime).rows)
        {
            // As from a push: half of them are opened by their id, without a list.
            if chance(0.5, device) { devices[device].glances.append(.one(row.id, .row)) }
            devices[device].glances.append(.one(row.id, .body))
            if row.isUnread { handle(.mark(.read, [row.id]), device) }
        }
        if chance(profile.counts, device) { devices[device].glances.append(.count) }
        if chance(profile.lists, device) { devices[device].glances.append(.list) }
        if chance(profile.pages, device) {
            devices[device].glances.append(.pages(Int.random(in: 1...9, using: &devices[device].random)))
        }
        if chance(profile.opens * 0.2, device), let gone = goneMessage(on: device) {
            devices[device].glances.append(.one(gone, somePart(device)))
        }
        if chance(profile.opens * 0.05, device), let foreign = foreignMessage(to: device) {
            devices[device].glances.append(foreign)
        }
        // An offline device has nobody to ask, and a busy one asks later.
        if devices[device].glances.count > 4 {
            devices[device].glances.removeFirst(devices[device].glances.count - 4)
        }
        goOn(device)
    }

    /// What the device had until its user deleted it, or a backend took it back.
    private func goneMessage(on device: Int) -> MessageID? {
        let app = apps[devices[device].app]
        let local = devices[device].local
        let recalled = app.recalled.filter { id in
            app.numbers[id].map { !app.ledger.isForeign($0, to: local) } ?? false
        }
        return devices[device].random.element(of: recalled + [devices[device].deleted].compactMap(\.self))
    }

    /// A look at a message of another app, or of this one that was never this device's.
    private func foreignMessage(to device: Int) -> Glance? {
        let app = devices[device].app
        let other = Int.random(in: 0..<apps.count, using: &devices[device].random)
        let messages = apps[other].ledger.messages
        guard let number = messages.indices.randomElement(using: &devices[device].random) else { return nil }
        if other == app, !apps[app].ledger.isForeign(number, to: devices[device].local) { return nil }
        return messages[number].id.map { .foreign($0, somePart(device), isOfApp: other == app) }
    }

    private func somePart(_ device: Int) -> MessagePart { chance(0.5, device) ? .row : .body }

    // MARK: Cores

    func handle(_ event: SyncEvent, _ device: Int) {
        guard !devices[device].hasStopped else { return }
        for effect in devices[device].core.handle(event, at: time()) { carryOut(effect, device) }
    }

    private func carryOut(_ effect: SyncEffect, _ device: Int) {
        switch effect {
        case .save, .show: break  // a device of the run dies with it, and shows what it is asked for
        case .makeInstallation: handle(.installation(installation()), device)
        case .call(let call): ask(call, device)
        case .openStream: openStream(device)
        case .closeStream: closeStream(device)
        case .wake(let due):
            devices[device].wakes += 1
            if let due {
                agenda.add(DueMatter(device: Int32(device), kind: .wake(devices[device].wakes)), at: due)
            }
        case .tell(let news): take(news, device)
        }
    }

    private func installation() -> Installation {
        func half() -> UInt64 { identities.next() }
        let channel = MessageID(high: half(), low: half()).pushID
        guard let channel = ChannelID(text: channel) else { preconditionFailure("a push id is a UUID") }
        return Installation(channel: channel, secret: MessageID(high: half(), low: half()).text)
    }

    private func take(_ news: SyncNews, _ device: Int) {
        switch news {
        case .refreshed(_, let problem):
            guard problem == nil, let usedAt = devices[device].usedAt else { return }
            devices[device].usedAt = nil
            refreshes.add(clock.now() - usedAt)
        case .loginRefused(let person, let problem):
            wrong(.refusal, device, "login as \(person.text)", problem.text)
        case .marksRefused(let messages, let problem):
            wrong(.refusal, device, "marks of \(messages.count) messages", problem.text)
        case .installationReplaced:
            if !wasReturned { wrong(.refusal, device, "its credential", "401") }
        case .loginChanged(let reason): wrong(.refusal, device, "its login", "ended by \(reason)")
        case .troubled: break  // counted with its request
        }
    }

    /// Begins a call of the core, or keeps it until nothing else is under way.
    private func ask(_ call: SyncCall, _ device: Int) {
        guard devices[device].isOnline else {
            return handle(.answered(.failed(SyncProblem(.unreachable, "offline")), serverTime: nil), device)
        }
        guard !devices[device].isGlancing else {
            devices[device].held = call
            return
        }
        begin { run in await run.perform(call, device) }
    }

    /// Begins what waited for the end of something else.
    func goOn(_ device: Int) {
        guard !devices[device].isGlancing, !devices[device].hasStopped else { return }
        if let call = devices[device].held {
            devices[device].held = nil
            return ask(call, device)
        }
        let core = devices[device].core
        // While a change of its login is in doubt, nobody knows whose view an answer is.
        guard core.call == nil, core.stored.confirmed == .person(core.stored.outbox.head.login.person),
            devices[device].isOnline, devices[device].stands, !devices[device].isLost,
            !devices[device].glances.isEmpty
        else { return }
        let look = devices[device].glances.removeFirst()
        devices[device].isGlancing = true
        begin { run in
            await run.perform(look, device)
            run.devices[device].isGlancing = false
            run.goOn(device)
        }
    }
}
