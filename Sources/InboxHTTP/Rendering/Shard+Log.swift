import InboxModel
import InboxService
import Platform

/// Whose log, and in which life of the database: another one's log tells of broadcasts that do not exist.
struct LogKey: Hashable, Sendable {
    var app: AppID
    var epoch: UInt64
}

extension Shard {
    /// An app's log, which reaches `revision` at least: what a look-up or a snapshot has shown.
    ///
    /// - Throws: `StoreFault.unavailable` if the database has not got so far: what was looked up belongs to another
    ///   life of it.
    func log(of app: AppID, reaching revision: Revision, now: Instant) async throws -> AppLog {
        // Asked before the log is read: what is kept under an epoch that ends meanwhile is never looked at again.
        let key = LogKey(app: app, epoch: try await store.epoch)
        let known = logs.value(for: key) ?? AppLog()
        if known.revision == revision { return known }
        // If more is known, the look-up may have been a moment too early, or the database has gone back.
        let news = try await store.log(of: app, after: known.revision)
        guard news.reached >= known.revision else {
            forgetViews(because: known.revision, of: app, isBeyond: news.reached)
            return try await log(of: app, reaching: revision, now: now)
        }
        // Another request may have read further meanwhile; one that knows less would leave a gap.
        var log = logs.value(for: key) ?? known
        if log.revision < known.revision { log = known }
        log.append(news, now: now)
        logs.insert(log, for: key, cost: 1)
        guard log.revision >= revision else {
            throw StoreFault.unavailable("the database is another one than at the beginning of the request")
        }
        return log
    }

    /// Drops all that would be good again as soon as the revisions that were lost are reached by other changes.
    ///
    /// What clients hold is beyond our reach, hence the advice.
    private func forgetViews(because known: Revision, of app: AppID, isBeyond reached: Revision) {
        logs.removeAll()
        views.removeAll()
        inboxes.removeAll()
        configuration.log(
            "the database has gone back: app \(app.rawValue) was at revision \(known.rawValue), and is at "
                + "\(reached.rawValue). If it was restored, run martlet doctor --new-epoch")
    }
}
