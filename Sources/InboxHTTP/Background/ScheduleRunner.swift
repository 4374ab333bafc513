package import EventLoop
import InboxModel
package import InboxService

/// Sends what was scheduled when it is due, whoever made it: every instance looks every second, and the store lets one
/// of them win.
package actor ScheduleRunner {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let store: any DueStore
    private let log: @Sendable (String) -> Void
    /// Those that could not be sent, and until when (by the loop's clock) they are left alone: they hold up no others.
    private var postponed: [ScheduleID: Duration] = [:]

    /// Nothing happens before `step`.
    package init(
        on loop: EventLoop, store: sending any DueStore, log: @escaping @Sendable (String) -> Void
    ) {
        self.loop = loop
        self.store = store
        self.log = log
    }

    /// Sends what is due; a `BackgroundWorker`'s step.
    package func step() async throws -> BackgroundWorker.Rest {
        let now = loop.uptime
        postponed = postponed.filter { $0.value > now }
        let next = try await store.dueSchedules(
            without: Array(postponed.keys), limit: ScheduleRunner.readAhead)
        let due = next.filter { $0.wait <= .zero }
        for start in stride(from: 0, to: due.count, by: ScheduleRunner.atOnce) where !Task.isCancelled {
            let areSent = await fire(due[start...].prefix(ScheduleRunner.atOnce))
            // If the store is away, asking it again says so sooner than all others would.
            guard areSent else { break }
        }
        if !due.isEmpty { return .none }
        return .upTo(min(next.first?.wait ?? ScheduleRunner.longestRest, ScheduleRunner.longestRest))
    }

    /// Whether all of them are done with.
    private func fire(_ schedules: ArraySlice<DueSchedule>) async -> Bool {
        await withTaskGroup { group in
            for schedule in schedules {
                group.addTask(executorPreference: loop) { await self.fire(schedule) }
            }
            var areAllDone = true
            for await isDone in group where !isDone { areAllDone = false }
            return areAllDone
        }
    }

    private func fire(_ schedule: DueSchedule) async -> Bool {
        do {
            _ = try await store.fire(schedule.id, of: schedule.app)
            return true
        } catch {
            // Whether it was sent or not, the store knows when it is asked again.
            let isBroken = if case StoreFault.broken = error { true } else { false }
            postponed[schedule.id] = loop.uptime + .seconds(isBroken ? 60 : 1)
            log("schedules: \(schedule.id.text) is tried again: \(error)")
            return isBroken
        }
    }

    private static let readAhead = 200
    /// As many as share a commit.
    private static let atOnce = 8
    private static let longestRest = Duration.seconds(1)
}
