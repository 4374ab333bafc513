package import EventLoop

/// A connection that waits for `NOTIFY` on one channel, confined to its loop.
///
/// It connects again by itself, and refuses transaction poolers, as a `Pipeline` does, which it is made of. What is
/// notified while there is no connection is lost: `onGap` tells. Anybody who may run `SELECT pg_notify(channel, payload)`
/// sends; with other statements of a batch it is sent when these are committed, and not at all if one of them fails.
/// A pipeline for reads answers before that, so there it suits what may be lost.
// Sendable, because everything but `init` checks that it runs on the loop's thread.
package final class NotificationListener: @unchecked Sendable {
    /// Called on the loop, in the order of commits, for each notification; equal ones of one transaction come once.
    package var onNotification: ((_ channel: String, _ payload: String) -> Void)?
    /// Called on the loop when listening begins, and again after each connection that was lost.
    package var onGap: (() -> Void)?
    /// Called on the loop; repeated failures of one kind are told once.
    package var onEvent: ((Pipeline.Event) -> Void)?

    private let pipeline: Pipeline
    private let limits: NotificationLimits
    private var question: LoopTimer?

    /// A listener that connects when it is started; on the loop's thread, or before the loop runs.
    ///
    /// - Parameter channel: as it is, in whatever case; without quotation marks in it.
    package init(
        loop: EventLoop, configuration: ConnectionConfiguration, channel: StaticString,
        limits: NotificationLimits = NotificationLimits()
    ) {
        self.limits = limits
        var bounds = PipelineLimits.reads
        bounds.silentWithin = limits.silentWithin
        pipeline = Pipeline(
            loop: loop, configuration: configuration, mode: .reads, limits: bounds,
            atConnect: ["LISTEN \"" + SQL(stringLiteral: channel) + "\""])
    }

    deinit {
        precondition(question == nil, "whoever starts a listener closes it")
    }

    /// Begins to connect, and keeps connected until `close`.
    package func start() {
        pipeline.onNotification = { [unowned self] in onNotification?($0, $1) }
        pipeline.onEvent = { [unowned self] in
            onEvent?($0)
            if case .connected = $0 { onGap?() }
        }
        pipeline.start()
        askLater()
    }

    /// Closes the connection; nothing is told any more.
    package func close() async {
        pipeline.loop.preconditionIsCurrent()
        question?.cancel()
        question = nil
        (pipeline.onNotification, pipeline.onEvent) = (nil, nil)
        await pipeline.close()
    }

    /// Whether notifications are heard right now.
    package var isListening: Bool { pipeline.isReady }

    /// Asks something from time to time: a connection whose other end has vanished looks like a quiet one.
    private func askLater() {
        question = pipeline.loop.timer(after: limits.askEvery) { [unowned self] in
            // The pipeline gives up a connection that owes an answer for too long.
            if pipeline.isReady { pipeline.submit("SELECT 1") { _ in } }
            askLater()
        }
    }
}

/// The bounds of a listener.
package struct NotificationLimits: Sendable {
    /// How long a connection may be quiet before it is asked for a sign of life.
    package var askEvery = Duration.seconds(5)
    /// How long that sign may take, before the connection is given up.
    package var silentWithin = Duration.seconds(5)

    package init() {}
}
