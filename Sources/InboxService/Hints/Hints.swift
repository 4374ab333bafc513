package import InboxModel
import Platform
import Synchronization

/// Tells those who watch inboxes that something may have changed: in one process, from any of its loops.
///
/// A hint is given after the commit, carries no data, and may be lost: whoever gets one looks for itself, and looks now
/// and then without one.
package final class Hints: Sendable {
    private let listeners = Lock<[HintListener]>([])
    /// Read without the lock: a hint that nobody listens to costs a load.
    private let isHeard = Atomic<Bool>(false)

    package init() {}

    /// The views that these inboxes are part of.
    package func changed(_ inboxes: [InboxID], of app: AppID) {
        guard !inboxes.isEmpty else { return }
        tell { $0.add(inboxes, of: app) }
    }

    /// Every view of an app: a broadcast, a large recall, settings.
    package func changed(_ app: AppID) {
        tell { $0.add(app) }
    }

    /// Listens from now on; `wake` is called, on any thread, when there is something to take where nothing was before.
    package func listen(_ wake: @escaping @Sendable () -> Void) -> HintListener {
        let listener = HintListener(wake)
        listeners.withLock { $0.append(listener) }
        isHeard.store(true, ordering: .sequentiallyConsistent)
        return listener
    }

    /// Ends what `listen` began.
    package func leave(_ listener: HintListener) {
        listeners.withLock { listeners in
            listeners.removeAll { $0 === listener }
            isHeard.store(!listeners.isEmpty, ordering: .sequentiallyConsistent)
        }
    }

    /// Gives hints that came from elsewhere to all but the listener that brought them.
    package func pass(_ batch: HintBatch, from bringer: HintListener) {
        tell(allBut: bringer) { $0.add(batch) }
    }

    private func tell(allBut bringer: HintListener? = nil, _ add: (inout HintBatch) -> Void) {
        guard isHeard.load(ordering: .sequentiallyConsistent) else { return }
        // Woken outside of the lock: they may want to leave.
        let woken = listeners.withLock { listeners in
            listeners.filter { $0 !== bringer && $0.gather(add) }
        }
        for listener in woken { listener.wake() }
    }
}

/// Gathers hints until its owner takes them.
package final class HintListener: Sendable {
    private let waiting = Lock(HintBatch())
    fileprivate let wake: @Sendable () -> Void

    fileprivate init(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }

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
