/// What a device can do to messages.
package enum Mark: Sendable {
    case read
    case unread
    case delete
}

/// A batch of marks under way.
package struct MarkTicket: Sendable {
    let mark: Mark
    let device: Int
    let person: Int?
    let messages: [Int]
    let start: Stamp
    /// Broadcasts that the person may have deleted before.
    let disputed: Set<Int>
    /// Broadcasts that the device may have deleted before, as whoever was logged in then.
    let disowned: Set<Int>
    /// How many batches had been started on the person's inbox, this one included.
    let personMarks: Int
    /// A message whose state in the person's inbox it changes beyond doubt, if there is one.
    let news: Int?
}

extension Ledger {
    /// A device hands in marks; ids that its view does not hold change nothing, so they are none of the model's.
    package mutating func willMark(
        _ mark: Mark, _ numbers: [Int], by device: Int, at moment: Moment
    ) -> MarkTicket {
        let person = devices[device].person
        let news = news(of: mark, numbers, by: device, at: moment.stamp)
        var (disputed, disowned): (Set<Int>, Set<Int>) = ([], [])
        if let person { people[person].marks += 1 }
        for number in numbers {
            if isDisputed(number, person) { disputed.insert(number) }
            if isDisowned(number, device) { disowned.insert(number) }
            if toggle(mark, number, on: device, person, at: moment.stamp) { continue }
            update(number, on: device, person) { $0.begin(mark, at: moment.stamp) }
        }
        return MarkTicket(
            mark: mark, device: device, person: person, messages: numbers, start: moment.stamp,
            disputed: disputed, disowned: disowned, personMarks: person.map { people[$0].marks } ?? 0,
            news: news)
    }

    /// The marks were answered with success.
    ///
    /// A mark of what was deleted, recalled or expired meanwhile changes nothing, but then its message never shows
    /// again. Broadcasts remain, which two rows hold. One that another device of the person deleted first leaves this
    /// device's own row as it was, and that row counts again after the next logout; one that this device deleted
    /// before the login leaves the person's row as it was, which the person's other devices show.
    package mutating func didMark(_ ticket: MarkTicket, at moment: Moment) {
        let undisturbed = ticket.person.map { people[$0].marks == ticket.personMarks } ?? true
        for number in ticket.messages {
            guard sight(of: number, on: ticket.device, ticket.person).exists.mustHold(from: ticket.start)
            else {
                continue
            }
            if settleToggle(ticket, number, at: moment.stamp) { continue }
            let isBroadcast = messages[number].target == .everyone
            if let person = ticket.person, !ticket.disowned.contains(number) {
                people[person].inbox.updateIfHeld(number) { $0.settle(ticket.mark, at: moment.stamp) }
            }
            if !isBroadcast || (undisturbed && !ticket.disputed.contains(number)) {
                devices[ticket.device].inbox.updateIfHeld(number) { $0.settle(ticket.mark, at: moment.stamp) }
            }
        }
    }

    private func isDisputed(_ number: Int, _ person: Int?) -> Bool {
        guard let person, messages[number].target == .everyone,
            let index = people[person].inbox.index(of: number)
        else { return false }
        return people[person].inbox[index].deleted.isPossible
    }

    private func isDisowned(_ number: Int, _ device: Int) -> Bool {
        guard messages[number].target == .everyone, let index = devices[device].inbox.index(of: number) else {
            return false
        }
        return devices[device].inbox[index].deleted.isPossible
    }

    /// Changes the rows that a mark is written to: every inbox of the view that holds the message.
    private mutating func update(
        _ number: Int, on device: Int, _ person: Int?, _ change: (inout Holding) -> Void
    ) {
        if messages[number].target == .everyone {
            guard sight(of: number, on: device, person).exists.isPossible else { return }
            devices[device].inbox.update(number, change)
            if let person { people[person].inbox.update(number, change) }
        } else {
            devices[device].inbox.updateIfHeld(number, change)
            if let person { people[person].inbox.updateIfHeld(number, change) }
        }
    }
}

extension Holding {
    fileprivate mutating func begin(_ mark: Mark, at stamp: Stamp) {
        switch mark {
        case .read: read.begin(at: stamp)
        case .unread: preconditionFailure("marks as unread have a line of their own")
        case .delete: deleted.begin(at: stamp)
        }
    }

    fileprivate mutating func settle(_ mark: Mark, at stamp: Stamp) {
        switch mark {
        case .read: read.settle(at: stamp)
        case .unread: preconditionFailure("marks as unread have a line of their own")
        case .delete: deleted.settle(at: stamp)
        }
    }
}
