import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform
import ReferenceInbox

/// The shells around the sync cores: what a core wants done is done, and judged.
extension Simulation {
    mutating func start(_ phone: Int) {
        guard !phones[phone].isRunning else { return }
        if phones[phone].kept != phones[phone].core.stored {
            complain(
                phone, "what was kept is not what the core held", "\(phones[phone].core.stored.outbox)",
                "\(phones[phone].kept.outbox)")
        }
        if flaw == .dropsMarks, let mark = phones[phone].kept.outbox.head.marks.first {
            phones[phone].kept.apply(.told([mark.number]))
        }
        phones[phone].start()
        // What it knew of the server's time is not kept: until it is told anew it goes by its own clock.
        let ahead = phones[phone].clockAhead
        phones[phone].memory.clockError = ahead < .zero ? .zero - ahead : ahead
        note(phone, "starts")
        tell(phone, phones[phone].isSwitchedOn ? .woken : .enabled(false))
    }

    /// Ends a device's process.
    mutating func stop(_ phone: Int) {
        streams.removeAll { $0.phone == phone }
        phones[phone].stop()
    }

    /// Lets a device take an event, and all that follows at once.
    mutating func tell(_ phone: Int, _ event: SyncEvent) {
        guard phones[phone].isRunning, wrong == nil else { return }
        var events = [event]
        while !events.isEmpty {
            let effects = phones[phone].core.handle(events.removeFirst(), at: time(of: phone))
            for effect in effects { events += carryOut(effect, by: phone) }
        }
        judge(phone)
    }

    /// Does what a core wants; returns what it is to be told thereafter.
    private mutating func carryOut(_ effect: SyncEffect, by phone: Int) -> [SyncEvent] {
        switch effect {
        case .save(let changes): save(changes, by: phone)
        case .makeInstallation:
            if phones[phone].kept.installation != nil, !phones[phone].memory.isUninstalled {
                complain(phone, "it gives its installation up", "that it keeps it", "another one")
            }
            note(phone, "makes an installation")
            return [.installation(phones[phone].makeInstallation())]
        case .call(let call):
            send(call, from: phone)
            if flaw == .asksTwice, call.isRefresh, phones[phone].own(1, outOf: 4) { send(call, from: phone) }
        case .openStream: askForStream(of: phone)
        case .closeStream: closeStream(of: phone)
        case .wake(let uptime):
            phones[phone].wakeCount += 1
            guard let uptime else { break }
            // Timers are whole microseconds, and late rather than early.
            let due = Simulation.start + uptime + .microseconds(1)
            agenda.add(.wake(phone, number: phones[phone].wakeCount), at: max(now, due))
        case .show(let shown): show(shown, on: phone)
        case .tell(let news):
            hear(news, from: phone)
            if flaw == .losesLogins, case .loginRefused = news { return [.logIn(Login(nil))] }
        }
        return []
    }

    private mutating func save(_ changes: [StoreChange], by phone: Int) {
        phones[phone].saveCount += 1
        if flaw == .forgetsSaves, phones[phone].saveCount.isMultiple(of: 9) { return }
        for change in changes { phones[phone].kept.apply(change) }
    }

    private mutating func show(_ shown: Shown, on phone: Int) {
        if shown == phones[phone].shown {
            complain(phone, "it shows anew what it shows already", "a change", words(shown, of: phone))
        }
        if flaw == .showsDeleted, shown.rows.count < phones[phone].shown.rows.count { return }
        if flaw == .showsPersonBefore, phones[phone].shown.rows.contains(where: { $0.place == .person }),
            !shown.rows.contains(where: { $0.place == .person })
        {
            return
        }
        phones[phone].shown = shown
        chronicle.fold(phone)
        for row in shown.rows {
            chronicle.fold(row.id.halves.low)
            chronicle.fold(row.isUnread ? 1 : 0)
        }
        note(phone) { "shows \($0.words(shown, of: phone))" }
    }

    private mutating func hear(_ news: SyncNews, from phone: Int) {
        if phones[phone].isOnline { note(phone, "says \(Simulation.words(news))") }
        switch news {
        case .refreshed(let id, _):
            if phones[phone].refreshing.remove(id.number) == nil {
                complain(phone, "it ends a refresh that nobody waits for", "once", "again")
            }
        case .loginRefused(let person, let problem):
            forgetOwed(of: phone)
            phones[phone].memory.refuse(person, now: phones[phone].core.person)
            if plan.apps[phones[phone].plan.app].trustsDevices, !person.text.hasPrefix(" ") {
                complain(phone, "a login was refused", "that the server trusts devices", problem.text)
            }
        case .loginChanged(let reason):
            forgetOwed(of: phone)
            phones[phone].memory.logIn(phones[phone].core.person)
            if !phones[phone].memory.wasTouched {
                complain(phone, "it logs itself out", "that whoever logged in stays", reason)
            }
        case .marksRefused(_, let problem):
            complain(phone, "marks were given up", "that the server takes them", problem.text)
        case .installationReplaced: phones[phone].memory.beginAnew()
        case .troubled: break
        }
    }

    private mutating func forgetOwed(of phone: Int) {
        phones[phone].memory.forget(Set(phones[phone].memory.owed.values.map(\.message)))
    }
}

extension Phone {
    /// A chance of the device's own, for its flaws.
    mutating func own(_ times: Int, outOf: Int) -> Bool { air.chance(times, outOf: outOf) }
}
