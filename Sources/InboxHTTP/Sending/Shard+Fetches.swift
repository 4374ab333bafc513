import EventLoop
import InboxModel
import InboxService

extension Shard {
    /// Counts a body as fetched, within a second.
    func note(_ fetch: Fetch) {
        switch fetches.note(fetch) {
        case .no: break
        case .soon: recordLater()
        case .now: beginRecording()
        }
    }

    /// Writes down what was fetched lately: also to be called at the end, when no request follows.
    package func recordFetches() async {
        let taken = fetches.take()
        guard !taken.isEmpty else { return }
        do {
            try await store.record(taken)
        } catch StoreFault.unavailable, StoreFault.outcomeUnknown {
            // Once more: what was written after all stays as it was.
            fetches.restore(taken)
            recordLater()
        } catch {
            configuration.log("\(taken.count) fetched bodies are not counted: \(error)")
        }
    }

    private func recordLater() {
        loop.timer(after: .seconds(1)) { [self] in assumeIsolated { $0.beginRecording() } }
    }

    /// On behalf of no request.
    private func beginRecording() {
        Task(executorPreference: loop) { await self.recordFetches() }
    }
}
