/// Where a message lies that was marked unread.
struct ToggleKey: Hashable, Sendable {
    let message: Int32
    /// The device's number, or behind all of them the person's.
    let holder: Int32

    static func device(_ device: Int, _ message: Int) -> ToggleKey {
        ToggleKey(message: Int32(message), holder: Int32(device))
    }

    static func person(_ person: Int, _ message: Int) -> ToggleKey {
        ToggleKey(message: Int32(message), holder: -1 - Int32(person))
    }
}

/// What was done to one message in one inbox, of which the last counts: read or unread, in the order it was begun.
///
/// Of many steps the oldest are forgotten that ended before an answered one began.
struct ToggleLine: Hashable, Sendable {
    private var steps: [Step]
    private static let kept = 16

    struct Step: Hashable, Sendable {
        let isUnread: Bool
        let start: Stamp
        /// `never` as long as no answer came: it may yet happen.
        var end = Stamp.never
    }

    /// A line that goes on from what was known of reads.
    ///
    /// - Parameter mayComeYet: a read that was begun has no answer, and may happen at any time.
    init(read: Fact, mayComeYet: Bool) {
        steps = [Step(isUnread: true, start: .first, end: .first)]
        guard read.isPossible else { return }
        steps.append(Step(isUnread: false, start: read.possible, end: read.certain))
        if mayComeYet { steps.append(Step(isUnread: false, start: read.possible)) }
    }

    mutating func begin(isUnread: Bool, at start: Stamp) {
        steps.append(Step(isUnread: isUnread, start: start))
    }

    /// The step that was begun at `start` was answered.
    mutating func settle(from start: Stamp, at end: Stamp) {
        guard let index = steps.lastIndex(where: { $0.start == start }) else { return }
        steps[index].end = min(steps[index].end, end)
        // Answers that are under way may still show what ended before this step began; so many steps ago none may.
        guard steps.count > ToggleLine.kept else { return }
        let latest = steps[index].start
        steps.removeFirst(steps.prefix(steps.count - ToggleLine.kept).prefix { $0.end < latest }.count)
    }

    /// Whether an answer may show the message so: some step may have been the last one in effect.
    func allows(_ isUnread: Bool, during span: Span) -> Bool {
        steps.contains { step in
            step.isUnread == isUnread && step.start <= span.end.stamp
                && !steps.contains { $0.start > step.end && $0.end <= span.start.stamp }
        }
    }
}

extension Stamp {
    /// Before every place.
    static let first = Stamp(0)
}

extension Ledger {
    /// Takes a mark down that says read or unread, where the last such mark counts; false if it is another matter.
    ///
    /// Only messages in one inbox are ever marked unread by the run: of a broadcast, whose marks lie in two, an idle mark
    /// is none, and the order of the others would not tell.
    mutating func toggle(
        _ mark: Mark, _ number: Int, on device: Int, _ person: Int?, at start: Stamp
    ) -> Bool {
        guard mark != .delete, let (key, holding) = holder(of: number, on: device, person) else {
            return false
        }
        guard mark == .unread || toggles[key] != nil else {
            openReads[key, default: 0] += 1
            return false
        }
        let line = toggles[key] ?? ToggleLine(read: holding.read, mayComeYet: openReads[key] != nil)
        toggles[key] = line
        toggles[key]?.begin(isUnread: mark == .unread, at: start)
        return true
    }

    /// The mark was answered; false if it has no line.
    mutating func settleToggle(_ ticket: MarkTicket, _ number: Int, at end: Stamp) -> Bool {
        guard ticket.mark != .delete,
            let (key, _) = holder(of: number, on: ticket.device, ticket.person)
        else { return false }
        guard toggles[key] != nil else {
            closeRead(key)
            return false
        }
        toggles[key]?.settle(from: ticket.start, at: end)
        return true
    }

    /// A read was answered; those of which none was stay open.
    private mutating func closeRead(_ key: ToggleKey) {
        guard let count = openReads[key] else { return }
        openReads[key] = count > 1 ? count - 1 : nil
    }

    /// What was done to a message that was ever marked unread in the one inbox of the view that holds it.
    func toggleLine(of number: Int, on device: Int) -> ToggleLine? {
        guard !toggles.isEmpty, let (key, _) = holder(of: number, on: device, devices[device].person) else {
            return nil
        }
        return toggles[key]
    }

    private func holder(of number: Int, on device: Int, _ person: Int?) -> (ToggleKey, Holding)? {
        guard messages[number].target != .everyone else { return nil }
        if let person, let index = people[person].inbox.index(of: number) {
            return (.person(person, number), people[person].inbox[index])
        }
        if let index = devices[device].inbox.index(of: number) {
            return (.device(device, number), devices[device].inbox[index])
        }
        return nil
    }

    /// Whether the filter hides a message from whoever sees it as this person, or as nobody.
    ///
    /// A delivery in the person's own inbox passes.
    package func hides(_ number: Int, from person: Int?) -> Bool {
        guard case .on(let untargeted) = filter else { return false }
        guard let person else { return true }
        if people[person].inbox.index(of: number) != nil, messages[number].target != .everyone {
            return false
        }
        guard let named = messages[number].named else { return !untargeted }
        return named != person
    }
}
