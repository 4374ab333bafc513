package import EventLoop
package import InboxService
import Platform
package import Postgres

/// Carries hints between the instances of an installation by `NOTIFY`, in batches, on a loop.
///
/// An instance whose streams want hints says so now and then; only then do others send any. What is lost on the way
/// costs nothing but time, since whoever watches also reads revisions.
package actor HintRelay {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// How often it does what.
    package struct Pace: Sendable {
        /// Hints that come within this time travel together; the first of them at once.
        package var batch = Duration.milliseconds(5)
        /// How often an instance says that it wants hints.
        package var word = Duration.seconds(2)
        /// How long that holds.
        package var forget = Duration.seconds(10)

        package init() {}
    }

    package static let channel: StaticString = "martlet_hints"

    private let hints: Hints
    private let pipeline: Pipeline
    private let listener: NotificationListener
    private let instance: UInt64
    private let pace: Pace
    /// When others that want hints last said so.
    private var others: [UInt64: Duration] = [:]
    /// What happens here, while others want to know.
    private var overheard: HintListener?
    private var isSending = false
    private var lastSent = Duration.zero
    private var sending: LoopTimer?
    private var speaking: LoopTimer?
    private var onAsked: @Sendable (Bool) -> Void = { _ in }

    /// A relay on the pipeline's loop, to be made there.
    ///
    /// - Parameters:
    ///   - pipeline: for reads; it sends.
    ///   - configuration: for the connection that listens.
    ///   - instance: a random number of this process.
    package init(
        _ hints: Hints, sendingOn pipeline: Pipeline, listeningOn configuration: ConnectionConfiguration,
        instance: UInt64, pace: Pace = Pace()
    ) {
        loop = pipeline.loop
        self.hints = hints
        self.pipeline = pipeline
        self.instance = instance
        self.pace = pace
        listener = NotificationListener(
            loop: pipeline.loop, configuration: configuration, channel: HintRelay.channel)
    }

    /// Begins to listen, and to speak where somebody watches.
    ///
    /// - Parameters:
    ///   - onEvent: what an operator may want to read of the connection that listens.
    ///   - onAsked: called with true when others begin to want hints, and with false when none does any more.
    package func start(
        onEvent: @escaping @Sendable (Pipeline.Event) -> Void = { _ in },
        onAsked: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        self.onAsked = onAsked
        listener.onNotification = { self.receive($1) }
        listener.onGap = { self.doubtAll() }
        listener.onEvent = onEvent
        listener.start()
        hints.whenWatched { [weak self] in self?.watchBegins() }
        speakAgain()
    }

    /// Ends all that; to be called before the pipeline is closed.
    package func close() async {
        hints.whenWatched(nil)
        speaking?.cancel()
        sending?.cancel()
        (speaking, sending) = (nil, nil)
        stopOverhearing()
        await listener.close()
        (listener.onNotification, listener.onGap, listener.onEvent) = (nil, nil, nil)
    }

    // MARK: From here to others

    private nonisolated func watchBegins() {
        loop.execute { self.assumeIsolated { $0.speak() } }
    }

    /// Says that hints are wanted here, if they are, and looks who else still wants them.
    private func speakAgain() {
        speak()
        let limit = loop.uptime - pace.forget
        others = others.filter { $0.value > limit }
        if others.isEmpty { stopOverhearing() }
        speaking = loop.timer(after: pace.word) { self.speakAgain() }
    }

    private func speak() {
        if hints.isWatched { send(HintBatch()) }
    }

    private func startOverhearing() {
        guard overheard == nil else { return }
        overheard = hints.overhear { [weak self] in
            guard let self else { return }
            loop.execute { self.assumeIsolated { $0.sendSoon() } }
        }
        onAsked(true)
    }

    private func stopOverhearing() {
        guard let overheard else { return }
        hints.leave(overheard)
        self.overheard = nil
        onAsked(false)
    }

    /// Sends what has gathered, at once or when the pace allows it.
    private func sendSoon() {
        guard overheard != nil, sending == nil, !isSending else { return }
        let wait = lastSent + pace.batch - loop.uptime
        guard wait > .zero else { return sendGathered() }
        sending = loop.timer(after: wait) {
            self.sending = nil
            self.sendGathered()
        }
    }

    private func sendGathered() {
        guard let batch = overheard?.take(), !batch.isEmpty else { return }
        lastSent = loop.uptime
        isSending = true
        send(batch) {
            self.isSending = false
            // While a busy database lets it wait, more has gathered.
            self.sendSoon()
        }
    }

    /// What fails is lost.
    private func send(_ batch: HintBatch, _ done: @escaping () -> Void = {}) {
        let texts = HintPayload.texts(of: batch, from: instance)
        pipeline.submit("SELECT pg_notify('martlet_hints', text) FROM unnest(\(texts)) t (text)") { _ in
            done()
        }
    }

    // MARK: From others to here

    private func receive(_ text: String) {
        guard let payload = HintPayload(text), payload.instance != instance else { return }
        if payload.batch.isEmpty {
            others[payload.instance] = loop.uptime
            startOverhearing()
        } else {
            hints.pass(payload.batch)
        }
    }

    /// Nobody knows what was notified while nobody listened.
    private func doubtAll() {
        var batch = HintBatch()
        batch.doubtAll()
        hints.pass(batch)
    }
}
