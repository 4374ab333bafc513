package import InboxModel
import Platform
import Synchronization

/// Tells those who watch inboxes that something may have changed: in one process, from any of its loops.
///
/// A hint is given after the commit, carries no data, and may be lost: whoever gets one looks for itself, and looks now
/// and then without one.
package final class Hints: Sendable {
    private let audience = Lock(Audience())
    /// Read without the lock: a hint that nobody listens to costs a load.
    private let isHeard = Atomic<Bool>(false)
    private let watched = Atomic<Bool>(false)

    private struct Audience: Sendable {
        var listeners: [HintListener] = []
        var onWatch: (@Sendable () -> Void)?
    }

    package init() {}

    /// Whether anybody listens for clients' sake; then other processes should know.
    package var isWatched: Bool { watched.load(ordering: .relaxed) }

    /// The views that these inboxes are part of.
    package func changed(_ inboxes: [InboxID], of app: AppID) {
        guard !inboxes.isEmpty else { return }
        tell { $0.add(inboxes, of: app) }
    }

    /// Every view of an app: a broadcast, a large recall, settings.
    package func changed(_ app: AppID) {
        tell { $0.add(app) }
    }

    /// Listens for clients; `wake` is called, on any thread, when there is something to take where nothing was before.
    package func watch(_ wake: @escaping @Sendable () -> Void) -> HintListener {
        let (listener, onWatch) = listen(HintListener(isWatcher: true, wake))
        onWatch?()
        return listener
    }

    /// Listens for the sake of other processes.
    package func overhear(_ wake: @escaping @Sendable () -> Void) -> HintListener {
        listen(HintListener(isWatcher: false, wake)).listener
    }

    /// Calls `action`, on any thread, whenever somebody begins to watch where nobody did.
    package func whenWatched(_ action: (@Sendable () -> Void)?) {
        audience.withLock { $0.onWatch = action }
    }

    /// Ends what `watch` or `overhear` began.
    package func leave(_ listener: HintListener) {
        audience.withLock { audience in
            audience.listeners.removeAll { $0 === listener }
            note(audience)
        }
    }

    /// Gives hints that came from elsewhere to those who watch.
    package func pass(_ batch: HintBatch) {
        tell(watchersOnly: true) { $0.add(batch) }
    }

    /// Adds a listener; with it, what is to be called if it is the first watcher.
    private func listen(_ listener: HintListener) -> (
        listener: HintListener, onWatch: (@Sendable () -> Void)?
    ) {
        let onWatch = audience.withLock { audience in
            let isFirst = listener.isWatcher && !audience.listeners.contains { $0.isWatcher }
            audience.listeners.append(listener)
            note(audience)
            return isFirst ? audience.onWatch : nil
        }
        return (listener, onWatch)
    }

    private func note(_ audience: Audience) {
        isHeard.store(!audience.listeners.isEmpty, ordering: .sequentiallyConsistent)
        watched.store(audience.listeners.contains { $0.isWatcher }, ordering: .relaxed)
    }

    private func tell(watchersOnly: Bool = false, _ add: (inout HintBatch) -> Void) {
        guard isHeard.load(ordering: .sequentiallyConsistent) else { return }
        // Woken outside of the lock: they may want to leave.
        let woken = audience.withLock { audience in
            audience.listeners.filter { ($0.isWatcher || !watchersOnly) && $0.gather(add) }
        }
        for listener in woken { listener.wake() }
    }
}

/// Gathers hints until its owner takes them.
package final class HintListener: Sendable {
    private let waiting = Lock(HintBatch())
    fileprivate let isWatcher: Bool
    fileprivate let wake: @Sendable () -> Void

    fileprivate init(isWatcher: Bool, _ wake: @escaping @Sendable () -> Void) {
        self.isWatcher = isWatcher
        self.wake = wake
    }

    /// What came since this was last asked.
    package func take() -> HintBatch {
        waiting.withLock { batch in
            let taken = batch
            batch = HintBatch()
            return taken
        }
    }

    /// Adds hints; whether they are the first.
    fileprivate func gather(_ add: (inout HintBatch) -> Void) -> Bool {
        waiting.withLock { batch in
            let isFirst = batch.isEmpty
            add(&batch)
            return isFirst && !batch.isEmpty
        }
    }
}
