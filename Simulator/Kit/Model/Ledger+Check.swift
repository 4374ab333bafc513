package import InboxModel

/// A message as a list showed it.
package struct Listed: Hashable, Sendable {
    private let packed: UInt32

    package init(_ message: Int, isUnread: Bool) {
        packed = UInt32(message) << 1 | (isUnread ? 1 : 0)
    }

    /// The message's number.
    package var message: Int { Int(packed >> 1) }

    package var isUnread: Bool { packed & 1 == 1 }
}

/// What is known of one message in the view of one device: its inbox, its person's and the broadcasts, merged.
struct Sight {
    var exists = Fact()
    /// Read by one or the other.
    var read = Fact()
    /// Deleted in either is deleted.
    var deleted = Fact()
    var mayBeCapped = false
    /// Since when it is known to have fallen out by the cap.
    var fallen = Stamp.never
}

extension Ledger {
    /// The number of a message that a list showed, by what its extras say.
    ///
    /// - Returns: nothing, and what is wrong, if this run sent no such message or sent it under another id.
    package mutating func identify(_ serial: Int, as id: MessageID) -> Result<Int, Suspicion> {
        guard messages.indices.contains(serial) else { return .failure(.unknown) }
        guard let known = messages[serial].id else {
            messages[serial].id = id  // its send was not answered yet
            return .success(serial)
        }
        return known == id ? .success(serial) : .failure(.sentTwice)
    }

    /// Why a listed message is none of the run's.
    package enum Suspicion: Error {
        case unknown
        case sentTwice
    }

    /// Holds a list against what the device's view must, may and must not show, and learns from it.
    ///
    /// A 304 is checked as the list that it confirms. O(messages the device's inboxes ever held, and broadcasts).
    package mutating func check(
        _ list: [Listed], of device: Int, during span: Span, source: String
    ) -> [Difference] {
        let person = devices[device].person
        var differences: [Difference] = []
        checks += 1
        for item in list {
            let kind = sighted[item.message] == checks ? .listedTwice : fault(of: item, on: device, span)
            sighted[item.message] = checks
            if let kind {
                differences.append(difference(kind, device, item.message, span, source))
            } else {
                learn(from: item, on: device, at: span.end)
            }
        }
        for number in expected(on: device, person) where sighted[number] != checks {
            let sight = sight(of: number, on: device, person)
            guard sight.exists.mustHold(from: span.start.stamp) else { continue }
            if mayBeGone(number, sight, by: span.end) {
                learnAbsence(of: number, sight, on: device, at: span.end)
            } else {
                differences.append(difference(.missing, device, number, span, source))
            }
        }
        return differences
    }

    /// Holds a single message that an answer showed against a device's view, and learns from it.
    package mutating func check(
        _ item: Listed, of device: Int, during span: Span, source: String
    ) -> Difference? {
        if let kind = fault(of: item, on: device, span) {
            return difference(kind, device, item.message, span, source)
        }
        learn(from: item, on: device, at: span.end)
        return nil
    }

    /// Whether a device's view must show a message to whatever is asked now.
    package func mustShow(_ number: Int, on device: Int, during span: Span) -> Bool {
        let sight = sight(of: number, on: device, devices[device].person)
        return sight.exists.mustHold(from: span.start.stamp) && !mayBeGone(number, sight, by: span.end)
    }

    /// Whether a device's view must not show a message.
    package func mustHide(_ number: Int, on device: Int, during span: Span) -> Bool {
        absence(of: number, on: device, during: span) != nil
    }

    /// What it would be to show a message that a device's view must not; nothing if the view may hold it.
    package func absence(of number: Int, on device: Int, during span: Span) -> Difference.Kind? {
        let person = devices[device].person
        let sight = sight(of: number, on: device, person)
        guard sight.exists.mayHold(by: span.end.stamp) else {
            return hides(number, from: person) ? .hidden : .foreign
        }
        if messages[number].recalled.mustHold(from: span.start.stamp) { return .recalled }
        if messages[number].mustHaveExpired(by: span.start) { return .expired }
        if sight.deleted.mustHold(from: span.start.stamp) { return .resurrected }
        return sight.fallen <= span.start.stamp ? .returned : nil
    }

    /// Whether a message is none of those that a device's view may hold.
    package func isForeign(_ number: Int, to device: Int) -> Bool {
        !sight(of: number, on: device, devices[device].person).exists.isPossible
    }

    // MARK: One message in one view

    func sight(of number: Int, on device: Int, _ person: Int?) -> Sight {
        var sight = Sight()
        merge(devices[device].inbox, number, into: &sight)
        if let person { merge(people[person].inbox, number, into: &sight) }
        if hides(number, from: person) {
            sight.exists = Fact()
            return sight
        }
        if messages[number].target == .everyone {
            sight.exists = sight.exists.or(visibility(of: number, on: device, person))
            let newer = broadcasts.count - 1 - messages[number].place
            sight.mayBeCapped = newer + limits.sendsUnderWay >= limits.deliveriesPerInbox
            sight.fallen = messages[number].fallen
        }
        return sight
    }

    private func merge(_ inbox: Inbox, _ number: Int, into sight: inout Sight) {
        guard let index = inbox.index(of: number) else { return }
        let holding = inbox[index]
        sight.exists = sight.exists.or(holding.exists)
        sight.read = sight.read.or(holding.read)
        sight.deleted = sight.deleted.or(holding.deleted)
        sight.fallen = min(sight.fallen, holding.fallen)
        let newer = inbox.holdings.count - 1 - index
        if newer + limits.sendsUnderWay >= limits.deliveriesPerInbox { sight.mayBeCapped = true }
    }

    /// A broadcast shows if the device or its person was there before it.
    private func visibility(of number: Int, on device: Int, _ person: Int?) -> Fact {
        let accepted = messages[number].accepted
        let registered = devices[device].registered
        let created = person.map { people[$0].created } ?? Fact()
        if registered.mustHold(from: accepted.possible) || created.mustHold(from: accepted.possible) {
            return accepted
        }
        let mayShow =
            registered.mayHold(by: accepted.certain)
            || created.isPossible && created.mayHold(by: accepted.certain)
        return mayShow ? accepted.doubted : Fact()
    }

    /// All messages that a view may hold; O(their number).
    func expected(on device: Int, _ person: Int?) -> [Int] {
        var numbers = broadcasts
        let inboxes = [devices[device].inbox] + (person.map { [people[$0].inbox] } ?? [])
        for holding in inboxes.lazy.flatMap(\.holdings) {
            let number = Int(holding.message)
            if messages[number].target != .everyone { numbers.append(number) }
        }
        return numbers
    }

    // MARK: Judging

    private func fault(of item: Listed, on device: Int, _ span: Span) -> Difference.Kind? {
        if let kind = absence(of: item.message, on: device, during: span) { return kind }
        if let line = toggleLine(of: item.message, on: device) {
            guard !line.allows(item.isUnread, during: span) else { return nil }
            return item.isUnread ? .unreadAgain : .readByNobody
        }
        let sight = sight(of: item.message, on: device, devices[device].person)
        if item.isUnread { return sight.read.mustHold(from: span.start.stamp) ? .unreadAgain : nil }
        return sight.read.mayHold(by: span.end.stamp) ? nil : .readByNobody
    }

    func mayBeGone(_ number: Int, _ sight: Sight, by end: Moment) -> Bool {
        sight.deleted.mayHold(by: end.stamp) || messages[number].recalled.mayHold(by: end.stamp)
            || messages[number].mayHaveExpired(by: end) || sight.mayBeCapped
    }

    private func difference(
        _ kind: Difference.Kind, _ device: Int, _ number: Int, _ span: Span, _ source: String
    ) -> Difference {
        Difference(
            kind, device: device, message: number, in: (source, span.end.milliseconds),
            detail: facts(about: number, on: device))
    }

    // MARK: Learning from what was seen

    /// A listed message is there for certain, and read for certain if it shows so and only one row can be why.
    private mutating func learn(from item: Listed, on device: Int, at end: Moment) {
        let (number, person) = (item.message, devices[device].person)
        if !messages[number].accepted.isCertain { settle(number, at: end) }
        if messages[number].target != .everyone {
            devices[device].inbox.updateIfHeld(number) { $0.exists.settle(at: end.stamp) }
            if let person { people[person].inbox.updateIfHeld(number) { $0.exists.settle(at: end.stamp) } }
        } else if person == nil {
            // Visible by the device's own baseline, which never changes.
            if !sight(of: number, on: device, nil).exists.mustHold(from: end.stamp) {
                devices[device].inbox.update(number) { $0.exists.settle(at: end.stamp) }
            }
        }
        guard !item.isUnread else { return }
        settleSole(\.read, of: number, on: device, at: end.stamp)
    }

    /// A message that was there and is not listed any more is gone for good, if only one reason is possible.
    private mutating func learnAbsence(of number: Int, _ sight: Sight, on device: Int, at end: Moment) {
        guard !sight.mayBeCapped else { return learnFall(of: number, sight, on: device, at: end) }
        guard !messages[number].mayHaveExpired(by: end) else { return }
        switch (sight.deleted.mayHold(by: end.stamp), messages[number].recalled.mayHold(by: end.stamp)) {
        case (true, false): settleSole(\.deleted, of: number, on: device, at: end.stamp)
        case (false, true): messages[number].recalled.settle(at: end.stamp)
        case (true, true), (false, false): break
        }
    }

    /// What is not listed any more, and may have fallen out, never returns: whatever took it, took it for good.
    ///
    /// Unless it may have been deleted: of two inboxes that hold a broadcast it is then gone from one only.
    private mutating func learnFall(of number: Int, _ sight: Sight, on device: Int, at end: Moment) {
        guard !sight.deleted.isPossible, sight.fallen == .never else { return }
        if messages[number].target == .everyone {
            messages[number].fallen = end.stamp
            return
        }
        devices[device].inbox.updateIfHeld(number) { $0.fallen = end.stamp }
        guard let person = devices[device].person else { return }
        people[person].inbox.updateIfHeld(number) { $0.fallen = end.stamp }
    }

    private mutating func settleSole(
        _ fact: WritableKeyPath<Holding, Fact>, of number: Int, on device: Int, at stamp: Stamp
    ) {
        let onDevice = devices[device].inbox.index(of: number)
        let person = devices[device].person
        let onPerson = person.flatMap { people[$0].inbox.index(of: number) }
        let deviceMay = onDevice.map { devices[device].inbox[$0][keyPath: fact].mayHold(by: stamp) } ?? false
        let personMay =
            onPerson.flatMap { index in
                person.map { people[$0].inbox[index][keyPath: fact].mayHold(by: stamp) }
            } ?? false
        if let onDevice, deviceMay, !personMay {
            devices[device].inbox[onDevice][keyPath: fact].settle(at: stamp)
        }
        if let person, let onPerson, personMay, !deviceMay {
            people[person].inbox[onPerson][keyPath: fact].settle(at: stamp)
        }
    }
}
