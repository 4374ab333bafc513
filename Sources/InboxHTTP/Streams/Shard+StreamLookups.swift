import Crypto
import EventLoop
import InboxModel
import InboxService

// How streams find out what has changed: a hint names an inbox, or reading revisions does; then the credential is looked
// up, which says whether it still holds, and in which state its view is.
extension Shard {
    /// Streams that are looked up by one statement; while it is on its way others gather.
    private static let streamsPerLookup = 64
    /// Streams whose revisions are read by one statement: a small part of a millisecond, since requests wait behind it.
    private static let streamsPerReading = 250

    func takeHints() {
        guard let batch = desk.listener?.take() else { return }
        for inbox in batch.inboxes {
            for stream in desk.streams.watching(inbox) { lookUp(stream) }
        }
        for app in batch.apps { tellAll(of: app) }
        if batch.isAllDoubtful {
            doubt(desk.streams.all())
        } else {
            for app in batch.doubtfulApps { doubt(desk.streams.all(of: app)) }
        }
        if batch.isAllDoubtful || !batch.doubtfulApps.isEmpty { doubtApps() }
    }

    // MARK: Reading revisions

    /// Has the revisions of the streams' inboxes read.
    func doubt(_ streams: [EventStream]) {
        for stream in streams where !stream.isDoubted {
            stream.isDoubted = true
            desk.doubted.append(stream)
        }
        guard !desk.isReadingRevisions, !desk.doubted.isEmpty else { return }
        desk.isReadingRevisions = true
        Task(executorPreference: loop) { await self.readRevisions() }
    }

    private func readRevisions() async {
        while !desk.doubted.isEmpty {
            let batch = Array(desk.doubted.prefix(Shard.streamsPerReading))
            desk.doubted.removeFirst(batch.count)
            for stream in batch { stream.isDoubted = false }
            let inboxes = batch.flatMap { stream in stream.known.map { (stream: stream, known: $0) } }
            do {
                let epoch = try await store.epoch
                for stream in batch where stream.epoch != epoch {
                    // Equal revisions need not mean equal views any more.
                    stream.begin(epoch)
                    lookUp(stream)
                }
                for place in try await store.changed(inboxes.map { $0.known }) {
                    lookUp(inboxes[place].stream)
                }
            } catch {
                // The connection tells the operator; their turn comes again.
            }
        }
        desk.isReadingRevisions = false
    }

    /// Has the revisions of the streams' apps read.
    func doubtApps() {
        guard !desk.isReadingApps else { return }
        desk.isReadingApps = true
        Task(executorPreference: loop) { await self.readApps() }
    }

    private func readApps() async {
        do {
            let known = desk.streams.apps.values.map(\.known)
            for app in try await store.changed(known) { tellAll(of: app) }
        } catch {
            // As above.
        }
        desk.isReadingApps = false
    }

    // MARK: Looking up

    /// Has the stream's credential looked up; what comes until it is sent makes no second one.
    func lookUp(_ stream: EventStream) {
        guard !stream.isAwaited, stream.isOpen else { return }
        stream.isAwaited = true
        desk.awaited.append(stream)
        guard !desk.isLookingUp else { return }
        desk.isLookingUp = true
        Task(executorPreference: loop) { await self.lookUpAwaited() }
    }

    private func lookUpAwaited() async {
        while !desk.awaited.isEmpty {
            let batch = Array(desk.awaited.prefix(Shard.streamsPerLookup))
            desk.awaited.removeFirst(batch.count)
            for stream in batch { stream.isAwaited = false }
            do {
                let credentials = try await store.credentials(of: batch.map(\.user))
                for (stream, credential) in zip(batch, credentials) { await settle(stream, credential) }
            } catch {
                // As above: what they did not hear of differs from what they know.
            }
        }
        desk.isLookingUp = false
    }

    /// Says what a look-up has found.
    private func settle(_ stream: EventStream, _ credential: Credential?) async {
        guard stream.isOpen else { return }
        guard let credential, constantTimeEquals(credential.passwordDigest, stream.passwordDigest) else {
            let reason: InboxEvent.End =
                await isGone(stream.state.device, of: stream) ? .erased : .credentials
            return end(stream, reason, retry: false)
        }
        let (before, now) = (stream.state, credential.reader.state)
        guard now != before else { return }
        if let person = before.person, now.person == nil {
            return end(stream, await isGone(person, of: stream) ? .erased : .loggedOut, retry: true)
        }
        guard now.person == before.person else { return end(stream, .personChanged, retry: true) }
        // What is new for all is told to all, with the time to spread over.
        guard !now.differsByAppAlone(from: before) else { return tellAll(of: stream.user.app) }
        desk.streams.note(now, of: stream)
        say(InboxEvent.changed(desk.nextEvent()), on: stream)
    }

    /// Whether an inbox was erased; if that can't be found out, it was not.
    private func isGone(_ inbox: InboxID, of stream: EventStream) async -> Bool {
        do {
            return !(try await store.exists(inbox, in: stream.user.app))
        } catch {
            return false
        }
    }

    // MARK: Telling all of an app

    /// Tells all streams of an app that every view of it may have changed, without looking their credentials up.
    func tellAll(of app: AppID) {
        guard desk.streams.apps[app] != nil else { return }
        if desk.rounds[app] != nil {
            desk.rounds[app]?.isRepeated = true
            return
        }
        desk.rounds[app] = AppRound()
        Task(executorPreference: loop) { await self.beginRound(of: app) }
    }

    private func beginRound(of app: AppID) async {
        do {
            guard let pace = try await store.pace(of: app) else { return desk.rounds[app] = nil }
            let seconds =
                pace.spreadSeconds > 0
                ? pace.spreadSeconds : configuration.streams.spread(over: configuration.streamCounts[app])
            desk.streams.note(pace.known)
            let event = InboxEvent.changed(desk.nextEvent(), within: seconds)
            desk.rounds[app]?.begin(pace.known, event: event)
            continueRound(of: app)
        } catch {
            desk.rounds[app] = nil  // reading revisions finds it again
        }
    }

    private func continueRound(of app: AppID) {
        guard var round = desk.rounds[app], let known = round.known else { return }
        let most = configuration.streams.streamsPerPass
        var (said, seen) = (0, 0)
        while said < most, seen < 10 * most {
            guard let stream = round.next(in: desk.streams) else {
                desk.rounds[app] = nil
                if round.isRepeated { tellAll(of: app) }
                return
            }
            seen += 1
            guard stream.isOpen, stream.user.app == app, stream.knownApp != known else { continue }
            stream.tell(of: known)
            say(round.event, on: stream)
            said += 1
        }
        desk.rounds[app] = round
        loop.timer(after: .zero) { self.continueRound(of: app) }
    }
}

extension ViewState {
    /// Whether the inboxes are as they were.
    fileprivate func differsByAppAlone(from other: ViewState) -> Bool {
        var same = other
        (same.appRevision, same.settingsRevision) = (appRevision, settingsRevision)
        return self == same && self != other
    }
}
