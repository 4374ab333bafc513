package import InboxModel
import Platform

/// Open streams of a process by credential and by app; one for all its loops.
package final class StreamCounts: Sendable {
    private struct Counts: Sendable {
        var users: [UserID: Int] = [:]
        var apps: [AppID: Int] = [:]
    }

    private let counts = Lock(Counts())

    package init() {}

    /// Counts a stream, if there is room for it; `close` takes it back.
    func open(_ user: UserID, most: Int) -> Bool {
        counts.withLock { counts in
            let open = counts.users[user] ?? 0
            guard open < most else { return false }
            counts.users[user] = open + 1
            counts.apps[user.app, default: 0] += 1
            return true
        }
    }

    func close(_ user: UserID) {
        counts.withLock { counts in
            counts.users[user] = less(counts.users[user])
            counts.apps[user.app] = less(counts.apps[user.app])
        }
    }

    /// Open streams of an app.
    package subscript(app: AppID) -> Int { counts.withLock { $0.apps[app] ?? 0 } }

    private func less(_ count: Int?) -> Int? {
        guard let count, count > 1 else { return nil }
        return count - 1
    }
}
