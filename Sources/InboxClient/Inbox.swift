import ClientCore
import InboxModel
import Platform

/// The inbox of an app on one device: what it shows, kept on the device and in step with the server.
///
/// ```swift
/// let inbox = try await Inbox(configuration)
/// await inbox.startWatching()
/// for await messages in inbox.messageUpdates {
///     show(messages.map(\.title))
/// }
/// ```
///
/// What is done to messages is shown at once and kept before the call returns, online or not; the server is told as soon
/// as it can be. Make one inbox for the app and hold on to it. An extension of the app may have another over the same
/// folder: whatever the one does shows in the other as soon as that is asked for something or hears of the server.
public actor Inbox {
    var kept: KeptCore
    let parts: InboxParts
    nonisolated let shownMessages = Broadcast<[InboxMessage]>([])
    nonisolated let feed = EventFeed()

    var isClosed = false
    var lastRefresh = 0
    /// Who waits for which refresh.
    var waiting: [RefreshID: CheckedContinuation<Bool, Never>] = [:]

    private var call: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var stream: HintStream?

    /// Opens the inbox that is kept in the configured folder, and begins to ask the server.
    ///
    /// - Throws: `InboxClientError.badConfiguration` or `.storeUnusable`.
    public init(_ configuration: InboxConfiguration) async throws {
        _ = try configuration.base()
        try await self.init(configuration, store: InboxParts.openStore(configuration))
    }

    /// The inbox that a store keeps, with all else as configured.
    package init(_ configuration: InboxConfiguration, store: any LocalStore) async throws {
        try await self.init(
            InboxParts(configuration, store: store), options: SyncOptions(configuration))
    }

    /// The inbox that parts make.
    package init(_ parts: InboxParts, options: SyncOptions = SyncOptions()) async throws {
        do {
            kept = try KeptCore(parts.store, options: options, seed: parts.seed)
        } catch {
            throw InboxClientError.storeUnusable("\(error)")
        }
        self.parts = parts
        handle(parts.isEnabled ? .woken : .enabled(false))
    }

    deinit {
        call?.cancel()
        timer?.cancel()
        stream?.cancel()
        shownMessages.end()
        feed.end()
        for waiting in waiting.values { waiting.resume(returning: false) }
        if !isClosed { parts.store.close() }
    }

    /// Ends all that the inbox does: calls, streams and sequences; what is kept stays.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        call?.cancel()
        timer?.cancel()
        stream?.cancel()
        shownMessages.end()
        feed.end()
        for waiting in waiting.values { waiting.resume(returning: false) }
        waiting = [:]
        parts.store.close()
    }

    /// How many iterate messages, counts or events.
    package nonisolated var watcherCount: Int {
        shownMessages.watcherCount + feed.listenerCount
    }

    // MARK: Driving the core

    var now: SyncTime { SyncTime(wall: parts.clock.wall, uptime: parts.clock.uptime) }

    /// The core as it is now: with what another has saved since.
    var core: SyncCore {
        if !isClosed { follow(kept.catchUp(at: now)) }
        return kept.core
    }

    /// Hands an event to the core and carries out what it wants; returns what a save failed with.
    @discardableResult
    func handle(_ event: SyncEvent) -> (any Error)? {
        isClosed ? nil : follow(kept.handle(event, at: now))
    }

    @discardableResult
    private func follow(_ outcome: KeptCore.Outcome) -> (any Error)? {
        if let recovery = parts.store.takeRecovery() {
            feed.tellSomebody(.storeRecovered(InboxRecovery(recovery)))
        }
        var failure = outcome.failure
        if let failure { feed.tell(.trouble(InboxTrouble(storage: failure))) }
        var isInstallationWanted = false
        for effect in outcome.effects {
            switch effect {
            case .save: break  // is kept already
            case .makeInstallation: isInstallationWanted = true
            case .call(let call): begin(call)
            case .openStream: openStream()
            case .closeStream: closeStream()
            case .wake(let time): wake(at: time)
            case .show(let shown): shownMessages.tell(shown.messages)
            case .tell(let news): tell(news)
            }
        }
        // Behind the effects of this event, for its own are newer.
        if isInstallationWanted { failure = handle(.installation(parts.makeInstallation())) ?? failure }
        return failure
    }

    private func begin(_ call: SyncCall) {
        guard let installation = kept.core.stored.installation else { return }
        self.call = inBackground { [weak self, wire = parts.wire] in
            // Not on the actor: a large list takes a while to read.
            let answer = await wire.perform(call, as: installation)
            guard !Task.isCancelled else { return }
            await self?.handle(.answered(answer.outcome, serverTime: answer.serverTime))
        }
    }

    private func wake(at time: Duration?) {
        timer?.cancel()
        timer = time.map { time in
            inBackground { [weak self, clock = parts.clock] in
                repeat { await clock.wait(until: time) } while clock.uptime < time && !Task.isCancelled
                guard !Task.isCancelled else { return }
                await self?.handle(.woken)
            }
        }
    }

    private func openStream() {
        closeStream()
        guard let streams = parts.streams, let credential = kept.core.stored.installation?.credential,
            let request = parts.wire.stream(of: credential)
        else { return }
        let stream = HintStream()
        self.stream = stream
        inBackground { [weak self] in
            for await _ in stream.signals { await self?.takeNews(of: stream) }
        }
        stream.open(request, at: parts.base, over: streams)
    }

    private func closeStream() {
        stream?.cancel()
        stream = nil
    }

    private func takeNews(of stream: HintStream) {
        for news in stream.take() where stream === self.stream { handle(.stream(news)) }
    }
}
