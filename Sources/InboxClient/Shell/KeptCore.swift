import InboxModel
import Platform

/// A core and the store that keeps what it holds; another may have the same inbox open and save to it.
///
/// An event whose changes are refused, because another has saved since, has not happened: the core is what it was
/// before, takes what is kept now (`SyncEvent.reloaded`), and then the event again. Nothing that the core wants done is
/// handed out before its changes are kept.
package struct KeptCore {
    package var core: SyncCore
    private let store: any LocalStore

    /// Whether the store lacks something, so that the next save is one of everything.
    private var isBehind = false
    /// What was done here and the store lacks: as `SyncEvent.reloaded` has it.
    private var unkept: [Stretch] = []

    /// How often others may save between a load and the save that follows; there are two or three of them.
    private static let mostReloads = 50

    /// What comes of an event.
    package struct Outcome {
        /// What is to be done; of what is to be saved nothing is among it.
        package var effects: [SyncEffect] = []
        /// Why the store lacks something.
        package var failure: (any Error)?
    }

    /// - Throws: what the store fails with.
    package init(_ store: any LocalStore, options: SyncOptions = SyncOptions(), seed: UInt64) throws {
        self.store = store
        core = SyncCore(try store.load(), options: options, seed: seed)
    }

    /// Takes an event, behind what another has saved, and keeps what it changes.
    package mutating func handle(_ event: SyncEvent, at time: SyncTime) -> Outcome {
        guard let kept = loadIfChanged() else { return take([event], at: time) }
        guard !isLost(kept) else {
            refill()
            return take([event], at: time)
        }
        // A login that was made here and is not kept will count behind the other's.
        let isSamePerson = unkept.count > 1 || kept.outbox.login.person == core.person
        guard case .mark = event, !isSamePerson else { return take(reload(kept) + [event], at: time) }
        // It was meant for what was shown to whoever was logged in here.
        var known = core
        note(known.handle(event, at: time).changes, under: core.stored.outbox.login)
        return take(reload(kept), at: time)
    }

    /// Takes over what another has saved, if one has.
    package mutating func catchUp(at time: SyncTime) -> Outcome {
        guard let kept = loadIfChanged() else { return Outcome() }
        guard !isLost(kept) else {
            refill()
            return Outcome()
        }
        return take(reload(kept), at: time)
    }

    /// Keeps what could not be kept before; returns what that fails with.
    package mutating func keepRest() -> (any Error)? {
        guard isBehind else { return nil }
        do {
            try store.replace(core.stored)
            (isBehind, unkept) = (false, [])
            return nil
        } catch {
            return error
        }
    }

    // MARK: Events

    private mutating func take(_ events: [SyncEvent], at time: SyncTime) -> Outcome {
        var outcome = Outcome()
        var (events, reloads) = (events, 0)
        while let event = events.first {
            let before = core
            let effects = core.handle(event, at: time)
            let failure = keep(effects.changes, of: event)
            if isOutdated(failure), reloads < KeptCore.mostReloads, let kept = loadIfPossible() {
                reloads += 1
                core = before
                events = again(events, effects.changes, kept)
                continue
            }
            if let failure {
                isBehind = true
                if !event.isReload { note(effects.changes, under: before.stored.outbox.login) }
                outcome.failure = failure
            }
            outcome.effects += effects.withoutSaves
            events.removeFirst()
        }
        return outcome
    }

    /// Keeps the changes of an event; returns what that fails with.
    private mutating func keep(_ changes: [StoreChange], of event: SyncEvent) -> (any Error)? {
        do {
            // After a reload the core holds what the store does, but for these changes.
            if isBehind, !event.isReload {
                guard !changes.isEmpty else { return nil }
                try store.replace(core.stored)
            } else if !changes.isEmpty {
                try store.save(changes)
            }
            (isBehind, unkept) = (false, [])
            return nil
        } catch {
            return error
        }
    }

    /// The events that are to come when the changes of the first one were refused.
    private mutating func again(
        _ events: [SyncEvent], _ changes: [StoreChange], _ kept: StoredInbox
    ) -> [SyncEvent] {
        guard !isLost(kept) else {
            refill()
            return events
        }
        switch events[0] {
        case .mark:
            note(changes, under: core.stored.outbox.login)
            return reload(kept) + events.dropFirst()
        case .reloaded: return reload(kept) + events.dropFirst()
        case .installation, .refresh, .hint, .logIn, .answered, .woken, .reachable, .watching, .stream,
            .enabled,
            .filtered:
            return reload(kept) + events
        }
    }

    /// Has the core take what another has saved.
    private mutating func reload(_ kept: StoredInbox) -> [SyncEvent] {
        // What the server told, and could not be kept, is to be asked for again.
        [.reloaded(kept, unkept: unkept)] + (isBehind ? [.hint] : [])
    }

    /// Whether the file was lost: nobody gives an installation up without another.
    private func isLost(_ kept: StoredInbox) -> Bool {
        kept.installation == nil && core.stored.installation != nil
    }

    /// Fills a file that was lost with all there is; at once if that can be, else with the next save.
    private mutating func refill() {
        isBehind = true
        _ = keepRest()
    }

    /// Keeps in mind what was done here.
    private mutating func note(_ changes: [StoreChange], under login: Login) {
        if unkept.isEmpty { unkept = [Stretch(login)] }
        for change in changes {
            switch change {
            case .mark(let mark, replaces: _): unkept[unkept.count - 1].marks.append(mark)
            case .login(let login): unkept.append(Stretch(login))
            case .installation, .credential, .confirmed, .headLogin, .headDone, .told, .givenUp, .outbox,
                .view,
                .rows, .forget, .clear:
                break
            }
        }
    }

    // MARK: The store

    /// What is read in vain now is read again by the next event, and a save finds it out at the latest.
    private func loadIfChanged() -> StoredInbox? { (try? store.loadIfChanged()) ?? nil }

    private func loadIfPossible() -> StoredInbox? { try? store.load() }

    private func isOutdated(_ failure: (any Error)?) -> Bool { failure as? StoreError == .outdated }
}

extension SyncEvent {
    fileprivate var isReload: Bool { if case .reloaded = self { true } else { false } }
}

extension [SyncEffect] {
    /// What is to be saved: all of it together.
    fileprivate var changes: [StoreChange] {
        flatMap { effect in if case .save(let changes) = effect { changes } else { [] as [StoreChange] } }
    }

    fileprivate var withoutSaves: [SyncEffect] {
        filter { if case .save = $0 { false } else { true } }
    }
}
