import ClientCore
import InboxModel
import Platform

/// What another has saved, such as an extension of the app that has the same file open.
extension SyncCore {
    /// What a call that is under way is worth, now that another has saved.
    enum CallStanding: Hashable {
        /// Nobody has.
        case sound
        /// What it was about may be otherwise now.
        case overtaken
        /// It was made as an installation that is not this one any more.
        case void
    }

    /// Takes what is kept in the place of what was thought to be, and lays over it what could not be kept.
    ///
    /// What was kept of what was done here is in it. What the server told here and is not, is asked for again.
    mutating func reload(_ kept: StoredInbox, _ unkept: [Stretch], at time: SyncTime) {
        let old = stored
        stored = kept
        if call != nil { callStanding = kept.installation == old.installation ? .overtaken : .void }
        (isPageStale, pages) = (true, nil)
        // By the other's numbers: only what is the same mark in both is what was sent.
        let marks = Set(old.outbox.stretches.flatMap(\.marks))
        sending.formIntersection(kept.outbox.stretches.flatMap(\.marks).filter(marks.contains).map(\.number))
        if kept.installation != old.installation { isAwaitingInstallation = false }
        let isSameLogin =
            kept.confirmed == old.confirmed && kept.outbox.login.person == old.outbox.login.person
        if !isSameLogin || kept.installation != old.installation {
            // A stream that ends for it ends by this device's own login.
            logins += 1
            closeStream()
        }
        if !isWhole(stored.view(of: person)) { wantsRefresh = true }
        merge(unkept, at: time)
    }

    private func isWhole(_ view: CachedView?) -> Bool { view?.cursor != nil || view?.validator != nil }

    private mutating func merge(_ unkept: [Stretch], at time: SyncTime) {
        for (index, stretch) in unkept.enumerated() {
            if index > 0 { logIn(stretch.login) }
            if stretch.login.person == person {
                for mark in stretch.marks { self.mark(mark.mark, [mark.message], at: time) }
            } else if !stretch.marks.isEmpty {
                mergeForeign(stretch, at: time)
            }
        }
    }

    /// Marks of somebody who was logged out by another before they were kept.
    ///
    /// Told under whoever is logged in now they would be that person's. What lies on the device is the same for both.
    private mutating func mergeForeign(_ stretch: Stretch, at time: SyncTime) {
        var outbox = stored.outbox
        if outbox.insert(stretch, isConfirmed: stored.confirmed == .person(stretch.login.person)) {
            return record(.outbox(outbox))
        }
        let shown = options.knowsPlaces ? shown(at: time.wall).rows : []
        let ofDevice = Set(shown.filter { $0.place == .device }.map(\.id))
        for mark in stretch.marks where ofDevice.contains(mark.message) {
            self.mark(mark.mark, [mark.message], at: time)
        }
        let lost = stretch.marks.map(\.message).filter { !ofDevice.contains($0) }
        guard !lost.isEmpty else { return }
        let problem = SyncProblem(.unauthorized, "somebody else was logged in on this device meanwhile")
        tell(.marksRefused(lost, problem))
    }

    // MARK: Answers

    /// Takes the answer to a call that was overtaken, as far as it does not count as it would have; whether it was.
    mutating func takeOvertaken(_ call: SyncCall, _ outcome: SyncOutcome, at time: SyncTime) -> Bool {
        let standing = callStanding
        callStanding = .sound
        switch (standing, call) {
        case (.sound, _): return false
        case (.void, _):
            sending = []
            askAgain()
            return true
        case (.overtaken, .logIn(let login)): return takeOvertaken(login, outcome, at: time)
        case (.overtaken, .register), (.overtaken, .mark), (.overtaken, .list), (.overtaken, .changes):
            return false
        }
    }

    /// A login counts if nobody else was logged in meanwhile; else nobody knows who came last.
    private mutating func takeOvertaken(_ login: Login, _ outcome: SyncOutcome, at time: SyncTime) -> Bool {
        let isSame = stored.outbox.head.login.person == login.person
        guard !isSame || ![.unknown, .person(login.person)].contains(stored.confirmed) else { return false }
        record(.confirmed(.unknown))
        if case .failed(let problem) = outcome { pause(problem, at: time) }
        askAgain()
        return true
    }
}
