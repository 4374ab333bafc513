package import InboxModel
package import Platform

/// An app's log as one process knows it: broadcasts, recalls and the floor, up to a revision.
///
/// It is asked as of a state's revision: what came later is not applied, so that the rows and the log of one answer
/// belong to one state. What is gone is kept for as long as a request may still work with a snapshot from before.
package struct AppLog: Sendable {
    /// A message to everyone.
    package struct Broadcast: Hashable, Sendable {
        package var position: ListPosition
        package var facts: MessageFacts
        package var revision: Revision

        package var message: MessageID { position.message }
    }

    /// Up to here the log is complete.
    package private(set) var revision = Revision(rawValue: 0)

    /// In list order.
    private var broadcasts: [Broadcast] = []
    /// Which revision took a message back, and when that message expires: one for each broadcast or widely held
    /// message that was.
    private var recalls: [MessageID: (revision: Revision, expires: Instant, known: Instant)] = [:]
    /// Ascending in revision; a later floor is never below an earlier one.
    private var floors: [(revision: Revision, floor: ListPosition, known: Instant)] = []

    /// How long a recall is remembered after its message has expired, in microseconds: a snapshot from before that,
    /// of a request that waited for something else, still merges with this log.
    private static let recallGrace: Int64 = 3600 * 1_000_000

    /// How long what is gone is kept, in microseconds: longer than a request waits for the database, so that a
    /// snapshot from before merges with what it showed.
    private static let grace: Int64 = 60 * 1_000_000

    /// The log of an app of which nothing was read yet.
    package init() {}

    /// Adds what the store said after `revision`; entries that are known already change nothing.
    ///
    /// - Parameters:
    ///   - news: of the same life of the database as what is known.
    ///   - now: what expired before it is forgotten.
    package mutating func append(_ news: LogNews, now: Instant) {
        dropGone(at: now)
        for entry in news.entries where entry.revision > revision { apply(entry, known: now) }
        revision = max(revision, news.reached)
        broadcasts.sort { $0.position < $1.position }
    }

    /// Broadcasts that a reader may see if it did not delete them, in list order.
    package func broadcasts(visibleTo reader: Reader) -> [Broadcast] {
        if broadcasts.isEmpty { return [] }
        let current = reader.state.appRevision
        let floor = floors.last { $0.revision <= current }?.floor
        return broadcasts.filter { broadcast in
            broadcast.revision > reader.baseline && broadcast.revision <= current
                && floor.map { broadcast.position < $0 } ?? true
                && !isRecalled(broadcast.message, at: current)
                && broadcast.facts.isShown(on: reader.deviceTypes, at: reader.now)
        }
    }

    /// Whether the log had taken a message back at a revision.
    package func isRecalled(_ message: MessageID, at revision: Revision) -> Bool {
        recalls.isEmpty ? false : recalls[message].map { $0.revision <= revision } ?? false
    }

    private mutating func dropGone(at now: Instant) {
        let past = Instant(rawValue: now.rawValue - AppLog.grace)
        let inForce = floors.lastIndex { $0.known <= past }
        let floor = inForce.map { floors[$0].floor }
        broadcasts.removeAll { broadcast in
            broadcast.facts.expires <= past || recalls[broadcast.message].map { $0.known <= past } ?? false
                || floor.map { broadcast.position >= $0 } ?? false
        }
        floors.removeFirst(inForce ?? 0)
        recalls = recalls.filter { $0.value.expires.rawValue > now.rawValue - AppLog.recallGrace }
    }

    private mutating func apply(_ entry: LogEntry, known: Instant) {
        switch entry.kind {
        case .recall(let message, let expires):
            recalls[message] = (entry.revision, expires, known)
        case .broadcast(let position, let expires, let deviceTypes, let floor):
            let facts = MessageFacts(sent: position.sent, expires: expires, deviceTypes: deviceTypes)
            broadcasts.append(Broadcast(position: position, facts: facts, revision: entry.revision))
            if let floor { floors.append((entry.revision, floor, known)) }
        }
    }
}
