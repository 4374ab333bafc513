package import EventLoop
import Foundation
import InboxModel
package import InboxService

/// Cleans up what nobody can see any more: every hour, by one instance at a time, in small transactions with rests as
/// long as they took, so that at most half of one connection is busy with it.
package actor RetentionRunner {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let store: any RetentionStore
    private let times: RetentionTimes
    private let log: @Sendable (String) -> Void
    private let instance = UUID()
    /// When the store had the last sign of life.
    private var keptAt = Duration.zero
    /// Rows that this run took away, by what they were.
    private var counts: [(name: String, rows: Int)] = []

    /// Nothing happens before `step`.
    package init(
        on loop: EventLoop, store: sending any RetentionStore, times: RetentionTimes,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.loop = loop
        self.store = store
        self.times = times
        self.log = log
    }

    /// A whole run if one is due, else nothing; a `BackgroundWorker`'s step, which ends early if that is stopped.
    package func step() async throws -> BackgroundWorker.Rest {
        guard let run = try await store.beginRetention(as: instance) else { return .upTo(.seconds(60)) }
        keptAt = loop.uptime
        counts = []
        defer { report() }
        for app in run.apps {
            try await purge(app)
            if run.walksInboxes { try await walkInboxes(of: app) }
        }
        try await store.endRetention(as: instance)
        return .upTo(.seconds(60))
    }

    private func purge(_ app: AppID) async throws {
        repeat {
            try await exhaust(.deliveries, in: app)
            try await exhaust(.fetches, in: app)
        } while try await take(.messages, in: app) > 0
        for kind in Purge.byAgeAlone { try await exhaust(kind, in: app) }
    }

    private func exhaust(_ kind: Purge, in app: AppID) async throws {
        while try await take(kind, in: app) >= type(of: store).purgedAtOnce {}
    }

    private func take(_ kind: Purge, in app: AppID) async throws -> Int {
        let rows = try await rested { try await store.purge(kind, in: app, times) }
        count(rows, kind.rawValue)
        return rows
    }

    private func walkInboxes(of app: AppID) async throws {
        var last: InboxID? = InboxID(rawValue: 0)
        while let start = last {
            let page = try await rested { try await store.inboxes(of: app, after: start, times) }
            for group in stride(from: 0, to: page.dead.count, by: RetentionRunner.burials) {
                let dead = Array(page.dead[group...].prefix(RetentionRunner.burials))
                count(try await rested { try await store.bury(dead, of: app, times) }, "channels")
            }
            try await clear(page.dead + page.ownerless, of: app)
            last = page.last
        }
    }

    private func clear(_ inboxes: [InboxID], of app: AppID) async throws {
        var rows = inboxes.count
        while rows > 0 {
            rows = try await rested { try await store.clear(inboxes, of: app) }
            count(rows, "rows of dead inboxes")
        }
    }

    /// Runs one transaction, then rests as long as it took.
    ///
    /// - Throws: `CancellationError` if the worker is stopped, or another instance has the run now.
    private func rested<Success>(_ transaction: () async throws -> Success) async throws -> Success {
        let start = loop.uptime
        if start - keptAt > RetentionRunner.signEvery {
            guard try await store.keepRetention(as: instance) else { throw CancellationError() }
            keptAt = start
        }
        let success = try await transaction()
        try await loop.sleep(for: max(loop.uptime - start, .milliseconds(1)))
        return success
    }

    private func count(_ rows: Int, _ name: String) {
        guard rows > 0 else { return }
        if let place = counts.firstIndex(where: { $0.name == name }) {
            counts[place].rows += rows
        } else {
            counts.append((name, rows))
        }
    }

    private func report() {
        guard !counts.isEmpty else { return }
        log("retention: purged \(counts.map { "\($0.rows) \($0.name)" }.joined(separator: ", "))")
        counts = []
    }

    /// Channels of one transaction: each may have as many tags as the limit allows.
    private static let burials = 20
    /// Well within the minute for which a sign of life holds.
    private static let signEvery = Duration.seconds(15)
}
