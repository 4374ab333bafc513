import ClientCore
package import InboxModel
package import Platform

/// The inbox of one device as a value: what happens goes in, what is to be done comes out.
///
/// It does no I/O and reads no clock: an app's shell, a test and a simulated device drive the same code. Whoever drives
/// it hands every event to `handle`, carries out the effects in their order, and hands back what became of a call.
///
/// One call is under way at a time, in this order: the installation is registered; what was marked is told, under the
/// logins that it belongs to; whoever is to be logged in is; then what changed is asked for. So an answer to that
/// always knows all that was told, and what was done here since is laid over it (`StoredInbox.shown`).
package struct SyncCore: Sendable {
    /// To be changed before the first event only, or by `filtered`.
    package var options: SyncOptions
    /// All that outlives the process.
    package internal(set) var stored: StoredInbox

    /// Changes of `stored` that are not kept yet, and what else is to be done.
    private var unsaved: [StoreChange] = []
    private var effects: [SyncEffect] = []

    var random: SeededRandom
    package internal(set) var isEnabled = true
    var isAwaitingInstallation = false
    /// Whether a void credential is answered by another installation: not twice without success between.
    var mayReplace = true

    /// What is under way, and the numbers of the marks in it.
    package internal(set) var call: SyncCall?
    var callStanding = CallStanding.sound
    var sending: Set<Int64> = []
    /// Failures of calls since the last success, and until when nothing is asked.
    var failures = 0
    var pausedUntil: Duration?
    /// Whether the pause is the server's wish.
    var isPauseAsked = false
    var marksPerRequest: Int

    var wantsRefresh = true
    /// When a hint to everybody is to be followed.
    var refreshDue: Duration?
    /// Who waits for a refresh that has not begun, and for the one that is under way.
    var waiting: [RefreshID] = []
    var served: [RefreshID] = []
    /// Pages of changes that came of a refresh that is under way.
    var pages: SyncPage?
    /// Whether the page that is under way was asked for while somebody else was logged in.
    var isPageStale = false

    var stream = StreamState.closed
    var streamFailures = 0
    package internal(set) var isWatching = false
    /// How often somebody else was logged in by this device, and how often when the stream was opened.
    var logins = 0
    var loginsOfStream = 0

    /// How far the server's clock is ahead of the device's, where it is far.
    private var serverAhead = Duration.zero
    private var lastShown = Shown()
    private var lastWake: Duration?

    /// What an event stream does.
    enum StreamState: Hashable {
        case closed
        case opening(since: Duration)
        case open(heard: Duration)
        case waiting(until: Duration)
        /// Not to be opened again before a call has succeeded.
        case barred
    }

    /// - Parameter seed: of the jitter of pauses.
    package init(_ stored: StoredInbox = StoredInbox(), options: SyncOptions = SyncOptions(), seed: UInt64) {
        self.stored = stored
        self.options = options
        random = SeededRandom(seed: seed)
        marksPerRequest = options.marksPerRequest
    }

    /// Takes an event and returns what is to be done.
    package mutating func handle(_ event: SyncEvent, at time: SyncTime) -> [SyncEffect] {
        take(event, at: time)
        proceed(at: time)
        if options.tellsShown { tellShown(at: time) }
        wake(at: time)
        defer { (unsaved, effects) = ([], []) }
        return unsaved.isEmpty ? effects : [.save(unsaved)] + effects
    }

    /// What the inbox shows.
    package func shown(at wall: Instant) -> Shown {
        isEnabled ? stored.shown(options, at: serverTime(wall)) : Shown()
    }

    /// The person who is logged in as far as this device is concerned.
    package var person: NamedUserID? { stored.outbox.login.person }

    /// Whether the server knows all that was done here, and the newest was fetched.
    package var isSettled: Bool {
        call == nil && !wantsRefresh && refreshDue == nil && stored.outbox.stretches.count == 1
            && stored.outbox.head.marks.isEmpty && stored.confirmed == .person(person)
    }

    // MARK: For the parts of it

    /// Changes what is kept.
    mutating func record(_ change: StoreChange) {
        stored.apply(change)
        unsaved.append(change)
    }

    mutating func emit(_ effect: SyncEffect) { effects.append(effect) }

    mutating func tell(_ news: SyncNews) { effects.append(.tell(news)) }

    private mutating func take(_ event: SyncEvent, at time: SyncTime) {
        switch event {
        case .installation(let installation): takeInstallation(installation)
        case .refresh(let id): refresh(id, at: time)
        case .hint: wantsRefresh = true
        case .mark(let mark, let messages): self.mark(mark, messages, at: time)
        case .logIn(let login): logIn(login)
        case .reloaded(let kept, let unkept): reload(kept, unkept, at: time)
        case .answered(let outcome, let serverTime):
            if let serverTime, !outcome.isFailure { learn(serverTime, at: time.wall) }
            takeAnswer(outcome, at: time)
        case .woken: lastWake = nil  // a timer may be early, and is to be set again then
        case .reachable: endPause()
        case .watching(let isWatching): watch(isWatching)
        case .stream(let news): takeNews(news, at: time)
        case .enabled(let isEnabled): enable(isEnabled)
        case .filtered(let filter): options.filter = filter
        }
    }

    // MARK: Time

    func serverTime(_ wall: Instant) -> Instant {
        Instant(rawValue: wall.rawValue + serverAhead.wholeMicroseconds)
    }

    /// Within this the clocks are taken to be the same: a server tells whole seconds, some time ago.
    private static let clockTolerance = Duration.seconds(2)

    private mutating func learn(_ told: Instant, at wall: Instant) {
        let difference = Duration.microseconds(told.rawValue - wall.rawValue)
        let isNear = difference >= .zero - SyncCore.clockTolerance && difference <= SyncCore.clockTolerance
        serverAhead = isNear ? .zero : difference
    }

    private mutating func tellShown(at time: SyncTime) {
        let shown = shown(at: time.wall)
        guard shown != lastShown else { return }
        lastShown = shown
        effects.append(.show(shown))
    }

    /// Asks to be woken at the first time at which something is due.
    private mutating func wake(at time: SyncTime) {
        var due = [refreshDue, isIdle ? pausedUntil : nil, streamDue].compactMap(\.self)
        if options.tellsShown, let expiry = soonestExpiry(at: time.wall) {
            due.append(time.uptime + .microseconds(expiry.rawValue - serverTime(time.wall).rawValue))
        }
        let first = due.min().map { max($0, time.uptime) }
        guard first != lastWake else { return }
        lastWake = first
        effects.append(.wake(first))
    }

    private var isIdle: Bool { call == nil && isEnabled }

    private func soonestExpiry(at wall: Instant) -> Instant? {
        guard isEnabled, let view = stored.view(of: person) else { return nil }
        let now = serverTime(wall)
        return view.rows.lazy.compactMap(\.content.expires).filter { $0 > now }.min()
    }
}

extension Duration {
    /// Whole microseconds, rounded toward zero.
    var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
