import InboxModel
import InboxService

/// The open streams of a loop: by the inboxes that they watch, and in buckets of equal size that take turns.
struct EventStreams {
    private(set) var count = 0
    private var buckets = [[EventStream]](repeating: [], count: EventStreams.bucketCount)
    private var byInbox: [InboxKey: [EventStream]] = [:]
    /// Those that have streams.
    private(set) var apps: [AppID: WatchedApp] = [:]
    private var nextBucket = 0

    /// Turns of a round: enough that those of one turn are few.
    static let bucketCount = 120

    mutating func add(_ stream: EventStream) {
        stream.bucket = nextBucket
        nextBucket = (nextBucket + 1) % EventStreams.bucketCount
        buckets[stream.bucket].append(stream)
        watch(stream)
        count += 1
        apps[stream.user.app, default: WatchedApp(known: stream.knownApp)].count += 1
    }

    mutating func remove(_ stream: EventStream) {
        buckets[stream.bucket].removeAll { $0 === stream }
        unwatch(stream)
        count -= 1
        apps[stream.user.app]?.count -= 1
        if apps[stream.user.app]?.count == 0 { apps[stream.user.app] = nil }
    }

    /// Notes what a look-up has found of a stream's view, whose inboxes may be others now.
    mutating func note(_ state: ViewState, of stream: EventStream) {
        let isElsewhere = (state.device, state.person) != (stream.state.device, stream.state.person)
        if isElsewhere { unwatch(stream) }
        stream.state = state
        if isElsewhere { watch(stream) }
    }

    /// Notes of which state all streams of an app are told.
    mutating func note(_ known: KnownApp) {
        apps[known.app]?.known = known
    }

    /// Those that watch an inbox.
    func watching(_ inbox: InboxKey) -> [EventStream] { byInbox[inbox] ?? [] }

    /// Those whose turn it is.
    subscript(bucket bucket: Int) -> [EventStream] { buckets[bucket] }

    /// All of one app, or of all.
    func all(of app: AppID? = nil) -> [EventStream] {
        guard let app else { return buckets.flatMap { $0 } }
        return buckets.flatMap { $0.filter { $0.user.app == app } }
    }

    private mutating func watch(_ stream: EventStream) {
        for inbox in stream.known { byInbox[inbox.key, default: []].append(stream) }
    }

    private mutating func unwatch(_ stream: EventStream) {
        for inbox in stream.known {
            byInbox[inbox.key]?.removeAll { $0 === stream }
            if byInbox[inbox.key]?.isEmpty == true { byInbox[inbox.key] = nil }
        }
    }
}

/// An app that has streams.
struct WatchedApp {
    var count = 0
    /// What all of them were told of last.
    var known: KnownApp
}
