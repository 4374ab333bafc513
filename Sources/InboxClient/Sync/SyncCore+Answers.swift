import ClientCore
import InboxModel
import Platform

/// What became of calls.
extension SyncCore {
    mutating func takeAnswer(_ outcome: SyncOutcome, at time: SyncTime) {
        guard let call else { return }  // of a call that nobody made
        self.call = nil
        guard !takeOvertaken(call, outcome, at: time) else { return }
        if case .failed(let problem) = outcome { return fail(call, problem, at: time) }
        (failures, pausedUntil, isPauseAsked) = (0, nil, false)
        unbarStream(at: time)
        if call.needsCredential { mayReplace = true }
        switch (call, outcome) {
        case (.register, .registered(let credential)):
            record(.credential(credential))
            record(.confirmed(.person(nil)))
        case (.logIn(let login), .done):
            record(.confirmed(.person(login.person)))
            renewStream()
            (wantsRefresh, pages) = (true, nil)
        case (.mark, .done):
            settleMarks()
            (sending, marksPerRequest) = ([], options.marksPerRequest)
            // Pages from before do not know of it.
            (wantsRefresh, pages) = (true, nil)
        case (.list, .page(let page)), (.changes, .page(let page)): take(page, of: call, at: time)
        case (.list, .unchanged), (.changes, .unchanged):
            if isPageStale { askAgain() } else { endRefresh(nil) }
        case (_, .registered), (_, .done), (_, .page), (_, .unchanged), (_, .failed):
            fail(call, SyncProblem(.unreadable, "an answer to another question"), at: time)
        }
    }

    // MARK: Marks

    /// The server was told, and from now on the rows say so.
    ///
    /// In the view of another the server may not have marked it, such as what the person had deleted elsewhere: there it
    /// is to be asked for as a whole.
    private mutating func settleMarks() {
        let head = stored.outbox.head
        let messages = Set(head.marks.filter { sending.contains($0.number) }.map(\.message))
        for var other in stored.views where other.person != head.login.person {
            let isConcerned = other.view.rows.contains { messages.contains($0.id) && $0.place != .person }
            guard isConcerned, other.view.cursor != nil || other.view.validator != nil else { continue }
            (other.view.cursor, other.view.validator) = (nil, nil)
            record(.view(other.person, other.view))
        }
        record(.told(sending))
    }

    // MARK: Pages

    /// Gathers pages and applies them together, so that nobody sees a part.
    private mutating func take(_ page: SyncPage, of call: SyncCall, at time: SyncTime) {
        guard isEnabled else { return }  // switched off while it was asked for
        guard !isPageStale else { return askAgain() }
        if page.damaged > 0 {
            tell(.troubled(SyncProblem(.unreadable, "\(page.damaged) messages could not be read")))
        }
        var gathered = page.isWhole ? SyncPage() : pages ?? SyncPage()
        gathered.isWhole = gathered.isWhole || page.isWhole
        let replaced = Set(page.changed.map(\.id)).union(page.removed)
        if !gathered.changed.isEmpty { gathered.changed.removeAll { replaced.contains($0.id) } }
        gathered.changed += page.changed
        gathered.removed += page.removed
        (gathered.cursor, gathered.validator) = (page.cursor, page.validator)
        gathered.parts = (pages?.parts ?? 0) + 1
        guard !page.hasMore else { return goOn(gathered, after: call, at: time) }
        pages = nil
        apply(gathered, at: serverTime(time.wall))
        endRefresh(nil)
    }

    /// Asks for the rest; pages that lead nowhere are a failure, after which the whole list is asked for.
    private mutating func goOn(_ gathered: SyncPage, after call: SyncCall, at time: SyncTime) {
        let isStuck = if case .changes(let cursor) = call { cursor == gathered.cursor } else { false }
        guard !isStuck, gathered.parts < SyncCore.mostPages else {
            forgetCursor()
            return fail(call, SyncProblem(.unreadable, "pages of changes without an end"), at: time)
        }
        pages = gathered
        askAgain()
    }

    /// Whoever waits, waits for the next answer.
    mutating func askAgain() {
        wantsRefresh = true
        (waiting, served) = (served + waiting, [])
    }

    /// Pages of one question: with 500 changes each, far more than inboxes hold.
    private static let mostPages = 1_000

    private mutating func apply(_ page: SyncPage, at now: Instant) {
        guard case .person(let person) = stored.confirmed else { return }
        let old = stored.view(of: person) ?? CachedView()
        let kept = options.keepsExpired ? old.rows.filter { $0.content.hasExpired(at: now) } : []
        let removed = page.removed.filter { id in !kept.contains { $0.id == id } }
        if !page.isWhole, old.rows.count + page.changed.count <= options.mostMessages {
            if page.changed.isEmpty, removed.isEmpty, page.cursor == old.cursor { return }
            record(.rows(person, changed: page.changed, removed: removed, cursor: page.cursor))
            return
        }
        var view = page.isWhole ? CachedView(kept) : old
        view.apply(changed: page.changed, removed: page.isWhole ? [] : removed)
        (view.cursor, view.validator) = (page.cursor, page.validator)
        view.keep(options.mostMessages)
        if view != old { record(.view(person, view)) }
    }

    private mutating func endRefresh(_ problem: SyncProblem?) {
        for id in served { tell(.refreshed(id, problem)) }
        served = []
    }

    // MARK: Failures

    private mutating func fail(_ call: SyncCall, _ problem: SyncProblem, at time: SyncTime) {
        let sent = sending
        sending = []
        switch (call, problem.kind) {
        case (.register, .refused(409)): return replaceInstallation(problem, at: time)
        case (.register, .unauthorized):
            let text = "the server does not accept this app key with this app secret"
            return pause(SyncProblem(.unauthorized, text), at: time)
        case (.register, _): break
        case (_, .unauthorized): return replaceInstallation(problem, at: time)
        case (.logIn, .refused(409)): return replaceInstallation(problem, at: time)
        case (.logIn(let login), .refused(let status)):
            if login.person != nil, [400, 403].contains(status) { return refuse(login, status, problem) }
        case (.mark(_, let targets), .refused(let status)):
            // Anything else says nothing of these marks: they wait.
            if [400, 413].contains(status) { return refuse(targets, sent, problem) }
        case (.list, .refused), (.changes, .refused): forgetCursor()
        case (_, .unreachable), (_, .busy), (_, .unreadable): break
        }
        pause(problem, at: time)
    }

    /// Nobody is logged in then, unless another login was made since: with 403 the server has logged out whoever was,
    /// else it is to be told.
    private mutating func refuse(_ login: Login, _ status: Int, _ problem: SyncProblem) {
        failures = 0
        wantsRefresh = true
        if status == 403 { record(.confirmed(.person(nil))) }
        guard let person = login.person else { return }
        let head = stored.outbox.head.login
        if head == login {
            record(.headLogin(Login(nil)))
        } else if head.person == person {
            return tell(.troubled(problem))  // by another proof now, which is told next
        }
        if stored.view(of: nil) == nil { record(.view(nil, CachedView())) }
        if !stored.outbox.stretches.contains(where: { $0.login.person == person }) { record(.forget(person)) }
        tell(.loginRefused(person, problem))
    }

    /// Marks that are refused are told in smaller parts, down to the one that is wrong.
    private mutating func refuse(_ targets: [MarkTarget], _ sent: Set<Int64>, _ problem: SyncProblem) {
        guard targets.count == 1 else {
            marksPerRequest = max(1, targets.count / 2)
            return
        }
        record(.givenUp(sent))
        tell(.marksRefused(targets.map(\.id), problem))
    }

    private mutating func forgetCursor() {
        pages = nil
        guard case .person(let person) = stored.confirmed, var view = stored.view(of: person),
            view.cursor != nil || view.validator != nil
        else { return }
        (view.cursor, view.validator) = (nil, nil)
        record(.view(person, view))
    }

    /// Registers anew: what is told as void is so for good.
    ///
    /// Not at once if nothing has worked since the last time, but when the pauses have become long.
    private mutating func replaceInstallation(_ problem: SyncProblem, at time: SyncTime) {
        let isPatient = options.firstPause * (1 << min(failures, 20)) >= options.longestPause
        guard mayReplace || isPatient else { return pause(problem, at: time) }
        mayReplace = false
        isAwaitingInstallation = true
        emit(.makeInstallation)
    }

    /// Tells those who wait, and tries again after a while.
    mutating func pause(_ problem: SyncProblem, at time: SyncTime) {
        failures += 1
        wantsRefresh = true
        let pause = pause(after: failures, from: options.firstPause, atMost: options.longestPause)
        pausedUntil = time.uptime + max(pause, problem.retryAfter ?? .zero)
        isPauseAsked = problem.retryAfter != nil
        for id in served + waiting { tell(.refreshed(id, problem)) }
        (served, waiting) = ([], [])
        tell(.troubled(problem))
    }

    /// Twice as long after each failure, less a random part, so that those who failed together do not return together.
    mutating func pause(after failures: Int, from first: Duration, atMost longest: Duration) -> Duration {
        let whole = min(longest, first * (1 << min(max(failures, 1) - 1, 20)))
        return whole * Double.random(in: 0.5...1, using: &random)
    }
}
