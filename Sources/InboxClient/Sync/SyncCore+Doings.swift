import ClientCore
import InboxModel
import Platform

/// What is done on the device.
extension SyncCore {
    mutating func refresh(_ id: RefreshID, at time: SyncTime) {
        guard isEnabled else { return tell(.refreshed(id, SyncCore.switchedOff)) }
        if isPauseAsked, let pausedUntil, pausedUntil > time.uptime {
            wantsRefresh = true
            return tell(.refreshed(id, SyncProblem(.busy, "the server asked to come back later")))
        }
        waiting.append(id)
        wantsRefresh = true
        refreshDue = nil
        endPause()
    }

    private static let switchedOff = SyncProblem(.unreachable, "the inbox is switched off")

    /// Marks what is shown among these messages; anything else, and what is so already, changes nothing.
    mutating func mark(_ mark: MessageMark, _ messages: [MessageID], at time: SyncTime) {
        let shown = Dictionary(shown(at: time.wall).rows.map { ($0.id, $0) }) { first, _ in first }
        var seen: Set<MessageID> = []
        for message in messages {
            guard let row = shown[message], seen.insert(message).inserted else { continue }
            if mark != .delete, row.isUnread == (mark == .unread) { continue }
            let pending = PendingMark(
                stored.outbox.lastNumber + 1, message, mark, reporting: row.content.device?.reporting)
            let old = stored.outbox.stretches.last?.marks ?? []
            let idle = old.filter { $0.message == message && !sending.contains($0.number) }
            record(.mark(pending, replaces: Set(idle.map(\.number))))
        }
        if stored.outbox.count > 0, !isPauseAsked { endPause() }
    }

    /// Somebody logs in on this device; what is cached of their view is shown at once, else what all on it share.
    mutating func logIn(_ login: Login) {
        guard login.person != person else {
            // With a new proof, should the old one have failed.
            if login.proof != nil, stored.confirmed != .person(login.person) { record(.login(login)) }
            return
        }
        let shared = sharedRows
        record(.login(login))
        if stored.view(of: login.person) == nil { record(.view(login.person, CachedView(shared))) }
        forgetOldViews()
        wantsRefresh = true
        refreshDue = nil
        if !isPauseAsked { endPause() }
    }

    /// What of the view that is shown is nobody's own: what lies on the device, and what was sent to everyone as the
    /// device itself knows it.
    ///
    /// A person's view shows what was sent to everyone as the person marked it anywhere, and what was sent before the
    /// device was there. Where the server
    /// tells no places, nothing of a person's view is known to be nobody's own.
    private var sharedRows: [MessageRow] {
        guard person != nil, options.knowsPlaces else {
            // A backend may have logged somebody in whom this device does not know of.
            return stored.view(of: nil)?.rows.filter { $0.place != .person } ?? []
        }
        let ofDevice = stored.view(of: person)?.rows.filter { $0.place == .device } ?? []
        return ofDevice + (stored.view(of: nil)?.rows.filter { $0.place == .app } ?? [])
    }

    /// Drops views of people who were logged in long ago.
    private mutating func forgetOldViews() {
        let needed = Set(stored.outbox.stretches.map(\.login.person))
        var spare = stored.views.map(\.person).filter { person in
            !needed.contains(person) && stored.confirmed != .person(person)
        }
        while stored.views.count > options.mostViews + 1, let oldest = spare.popLast() {
            record(.forget(oldest))
        }
    }

    mutating func watch(_ isWatching: Bool) {
        self.isWatching = isWatching
        if isWatching { wantsRefresh = true }
    }

    /// Switched off, nothing is kept but the installation and what the server is yet to be told.
    mutating func enable(_ isEnabled: Bool) {
        guard self.isEnabled != isEnabled else { return }
        self.isEnabled = isEnabled
        wantsRefresh = isEnabled
        refreshDue = nil
        pages = nil
        guard !isEnabled else { return endPause() }
        for view in stored.views { record(.forget(view.person)) }
        for id in waiting + served { tell(.refreshed(id, SyncCore.switchedOff)) }
        (waiting, served) = ([], [])
    }

    mutating func takeInstallation(_ installation: Installation) {
        guard isAwaitingInstallation else { return }
        isAwaitingInstallation = false
        if stored.installation != nil { tell(.installationReplaced) }
        record(.installation(installation))
        wantsRefresh = true
        pages = nil
    }
}

/// What is asked of the server next.
extension SyncCore {
    /// Begins what is to be done and can be.
    mutating func proceed(at time: SyncTime) {
        if let due = refreshDue, due <= time.uptime { (refreshDue, wantsRefresh) = (nil, true) }
        proceedStream(at: time)
        guard call == nil, isEnabled, !isAwaitingInstallation, !isPaused(at: time) else { return }
        guard let installation = stored.installation else {
            isAwaitingInstallation = true
            return emit(.makeInstallation)
        }
        guard installation.credential != nil else { return begin(.register(installation)) }
        dropIdleHeads()
        let head = stored.outbox.head
        if stored.confirmed != .person(head.login.person) {
            logins += 1
            // Until it is answered nobody knows whether the server has done it.
            if stored.confirmed != .unknown { record(.confirmed(.unknown)) }
            return begin(.logIn(head.login))
        }
        let untellable = untellableMarks
        // A list may say what they are known by; until then they wait, and what it does not hold is there no more.
        if !untellable.isEmpty, wantsRefresh { return beginRefresh(of: head.login.person, at: time) }
        giveUp(untellable)
        let batch = stored.outbox.batch(atMost: marksPerRequest)
        if let first = batch.first {
            sending = Set(batch.map(\.number))
            return begin(.mark(first.mark, batch.map(target)))
        }
        if wantsRefresh { beginRefresh(of: head.login.person, at: time) }
    }

    private func isPaused(at time: SyncTime) -> Bool { pausedUntil.map { time.uptime < $0 } ?? false }

    mutating func endPause() { (pausedUntil, isPauseAsked) = (nil, false) }

    private mutating func begin(_ call: SyncCall) {
        (self.call, callStanding) = (call, .sound)
        emit(.call(call))
    }

    private mutating func dropIdleHeads() {
        while stored.outbox.stretches.count > 1, stored.outbox.head.marks.isEmpty { record(.headDone) }
    }

    private mutating func beginRefresh(of person: NamedUserID?, at time: SyncTime) {
        (wantsRefresh, isPageStale) = (false, false)
        served += waiting
        waiting = []
        let view = stored.view(of: person)
        if options.asksForChanges, let cursor = pages?.cursor ?? view?.cursor {
            begin(.changes(since: cursor))
        } else {
            let now = serverTime(time.wall)
            begin(.list(validator: view.flatMap { isFull($0, at: now) ? $0.validator : nil }))
        }
    }

    /// False if there is room for what was left out of a view: then even an unchanged list has something new.
    private func isFull(_ view: CachedView, at now: Instant) -> Bool {
        guard view.isCut else { return true }
        let kept = view.rows.count(where: { options.keepsExpired || !$0.content.hasExpired(at: now) })
        return kept >= options.mostMessages
    }

    /// Marks of the head that an interface cannot tell which knows messages by what they were listed with.
    private var untellableMarks: [PendingMark] {
        guard options.marksByReporting else { return [] }
        return stored.outbox.head.marks.filter { target($0).reporting == nil }
    }

    private mutating func giveUp(_ marks: [PendingMark]) {
        guard !marks.isEmpty else { return }
        record(.givenUp(Set(marks.map(\.number))))
        let problem = SyncProblem(.refused(status: 404), "the server does not list these messages any more")
        tell(.marksRefused(marks.map(\.message), problem))
    }

    private func target(_ mark: PendingMark) -> MarkTarget {
        let listed = stored.views.lazy.compactMap { $0.view.row(of: mark.message)?.content.device?.reporting }
        return MarkTarget(mark.message, reporting: mark.reporting ?? listed.first)
    }
}
