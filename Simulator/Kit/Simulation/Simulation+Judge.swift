import ClientCore
import InboxClient
import InboxModel
import Platform
import ReferenceInbox

/// Whether what devices show and keep can be right, at any time and at the end.
extension Simulation {
    mutating func judge(_ phone: Int) {
        guard wrong == nil else { return }
        let core = phones[phone].core
        let shown = phones[phone].shown
        guard shown == core.shown(at: time(of: phone).wall) else {
            return complain(
                phone, "its screen", words(core.shown(at: time(of: phone).wall), of: phone),
                words(shown, of: phone))
        }
        if !core.isEnabled, core.stored.views.contains(where: { !$0.view.rows.isEmpty }) {
            complain(phone, "switched off, it keeps messages", "nothing", "\(core.stored.views.count) views")
        }
        let person = phones[phone].memory.person
        if person != core.person {
            complain(
                phone, "who is logged in", person?.text ?? "nobody, who was logged in last",
                core.person?.text ?? "nobody")
        }
        if let lost = phones[phone].memory.settle(core.stored.outbox) {
            let name = apps[phones[phone].plan.app].name(lost.message)
            complain(
                phone, "the mark \(lost.mark.rawValue) of \(name) is lost", "that it waits until it was told",
                "nothing waits")
        }
        judgeRows(shown.rows, of: phone)
    }

    private mutating func judgeRows(_ rows: [MessageRow], of phone: Int) {
        let app = phones[phone].plan.app
        for row in rows {
            let name = apps[app].name(row.id)
            let objection = phones[phone].memory.objection(
                to: row, of: phones[phone].core.person, markedUnread: apps[app].markedUnread)
            if let objection {
                return complain(phone, "it shows \(name) \(words(row))", "that it does not", objection)
            }
            if let expires = row.content.expires, expires + phones[phone].memory.clockError <= now {
                return complain(phone, "it shows \(name)", "nothing that has expired", "\(age) is too late")
            }
            if row.content.title != name { complain(phone, "a title", name, row.content.title) }
        }
    }

    /// What was marked shows so at once, and is kept.
    mutating func judgeMarked(_ mark: MessageMark, _ rows: [MessageRow], on phone: Int) {
        guard wrong == nil else { return }
        let (core, shown) = (phones[phone].core, phones[phone].shown)
        for row in rows {
            let after = shown.row(of: row.id)
            let isRight = mark == .delete ? after == nil : after?.isUnread == (mark == .unread)
            let isNew = mark == .delete || row.isUnread != (mark == .unread)
            let kept = core.stored.outbox.stretches.last?.marks.last {
                $0.message == row.id && $0.mark == mark
            }
            guard isRight, kept != nil || !isNew else {
                let name = apps[phones[phone].plan.app].name(row.id)
                return complain(
                    phone, "the mark \(mark.rawValue) of \(name)", "that it shows and waits",
                    "\(after.map(words) ?? "gone"), and \(kept == nil ? "nothing waits" : "it waits")")
            }
            if let kept { phones[phone].memory.mark(kept, of: row, by: core.person) }
        }
    }

    // MARK: The end

    /// The network heals: everything is there again, and who has something to do does it without being asked.
    mutating func heal() {
        note(nil, "the network heals")
        faults = .none
        for phone in phones.indices {
            phones[phone].refusedUntil = nil
            if !phones[phone].isRunning { start(phone) }
            if !phones[phone].isSwitchedOn { switchOver(phone) }
            guard !phones[phone].isOnline else { continue }
            phones[phone].isOnline = true
            tell(phone, .reachable)
        }
        agenda.add(.refreshAll, at: now + .seconds(700))
        agenda.add(.judge, at: now + Simulation.settlingTime)
    }

    /// What was to be done is done; what happened unheard is asked for.
    mutating func refreshAll() {
        for phone in phones.indices {
            if !phones[phone].core.isSettled {
                complain(phone, "700 s after the network has healed", "that it is settled", state(of: phone))
            }
            refresh(phone)
        }
    }

    private func state(of phone: Int) -> String {
        let core = phones[phone].core
        return "call \(core.call.map { words($0, of: phone) } ?? "none"), \(core.stored.outbox.count) marks, "
            + "\(phones[phone].refreshing.count) refreshes waited for"
    }

    /// Every device is settled and shows what the reference says.
    mutating func judgeAll() {
        isOver = true
        server.setTime(now)
        honest?.setTime(now)
        for phone in phones.indices {
            tell(phone, .woken)
            judgeSettled(phone)
        }
        for (place, one) in phones.enumerated() {
            for other in phones.dropFirst(place + 1) { judgeAgreement(one, other) }
        }
    }

    private mutating func judgeSettled(_ phone: Int) {
        let core = phones[phone].core
        if !core.isSettled || !phones[phone].refreshing.isEmpty {
            complain(
                phone, "\(Simulation.settlingTime) after the network has healed", "that it is settled",
                state(of: phone))
        }
        if phones[phone].kept != core.stored {
            complain(phone, "what it keeps", "what its core holds", "something else")
        }
        let expected = expectedRows(of: phone).map { words(MessageView($0)) }
        let came = phones[phone].shown.rows.filter { !isAboutToExpire($0.content.expires) }
            .map { words(MessageView($0)) }
        if expected != came {
            let name = apps[phones[phone].plan.app].name
            complain(
                phone, "what it shows at the end",
                "\(expectedRows(of: phone).map { "\(name($0.message)) \(words(MessageView($0)))" })",
                words(phones[phone].shown, of: phone))
        }
        let unread = phones[phone].shown.rows.count(where: \.isUnread)
        if phones[phone].shown.unreadCount != unread {
            complain(phone, "the unread count", "\(unread)", "\(phones[phone].shown.unreadCount)")
        }
    }

    /// What the reference lets a device show, less what its own filter hides.
    private func expectedRows(of phone: Int) -> [ReferenceInbox.Listed] {
        guard let user = phones[phone].user else { return [] }
        let person = phones[phone].core.person
        return truth.view(of: user).filter { row in
            guard !isAboutToExpire(row.expires) else { return false }
            guard case .on(let untargeted) = phones[phone].filter, row.place != .person else { return true }
            guard let person else { return false }
            let target = truth.apps[user.app]?.model.extra(of: row.message)["named_user_id"]
            return target.map { $0 == person.text } ?? untargeted
        }
    }

    /// Clocks may be some seconds apart.
    private func isAboutToExpire(_ expires: Instant?) -> Bool {
        expires.map { $0 < now + .seconds(10) && now < $0 + .seconds(10) } ?? false
    }

    /// Two devices of one person show the same of what is the person's.
    private mutating func judgeAgreement(_ one: Phone, _ other: Phone) {
        guard one.plan.app == other.plan.app, let person = one.core.person, person == other.core.person,
            one.plan.type == other.plan.type, !one.memory.isTouched, !other.memory.isTouched
        else { return }
        let (mine, theirs) = (own(one), own(other))
        if mine != theirs {
            complain(
                one.number, "what it shows of \(person.text), beside device \(other.number)", "\(theirs)",
                "\(mine)")
        }
    }

    private func own(_ phone: Phone) -> [String] {
        phone.shown.rows.filter { $0.place == .person && !isAboutToExpire($0.content.expires) }
            .map { apps[phone.plan.app].name($0.id) + ($0.isUnread ? " unread" : " read") }
    }
}
