package import InboxModel
package import InboxService
package import InboxStorage
import Platform

/// A rule that a store breaks.
package enum StoreLapse: String, Sendable, CaseIterable {
    /// A mark leaves the revisions as they were.
    case dropsRevision
    /// Lists are of a second ago.
    case countsExpired
    /// The state of a list is read after its rows, and after what is asked at the same time.
    case validatesOtherRows
    /// What fell out by the cap is picked again when there is room.
    case capReturns
}

/// What the stores of several servers have to know together to break a rule over one database.
package final class LapsePlan: Sendable {
    package let lapse: StoreLapse
    private let state = Lock(State())

    private struct State {
        /// Revisions of each inbox that were dropped.
        var dropped: [InboxID: Int64] = [:]
        /// All that each inbox ever showed, newest first, and how many at a time.
        var shown: [InboxID: [DeliveryRow]] = [:]
        var most: [InboxID: Int] = [:]
        /// Deleted or recalled.
        var gone: Set<MessageID> = []
        /// Under way, but for those that wait for all others.
        var calls = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    package init(_ lapse: StoreLapse) { self.lapse = lapse }

    func drop(_ revisions: Int64, of inbox: InboxID?) {
        guard let inbox else { return }
        state.withLock { $0.dropped[inbox, default: 0] += revisions }
    }

    func noticed(_ revision: Revision, of inbox: InboxID?) -> Revision {
        guard let inbox, let dropped = state.withLock({ $0.dropped[inbox] }) else { return revision }
        return Revision(rawValue: revision.rawValue - dropped)
    }

    func bury(_ messages: [MessageID]) { state.withLock { $0.gone.formUnion(messages) } }

    /// The rows of an inbox, with what it lost where it showed more at a time.
    func filled(_ slice: ArraySlice<DeliveryRow>, of inbox: InboxID) -> [DeliveryRow] {
        let rows = Array(slice)
        return state.withLock { state in
            let known = Set(rows.map(\.message))
            let lost = (state.shown[inbox] ?? []).filter {
                !known.contains($0.message) && !state.gone.contains($0.message)
            }
            let most = max(state.most[inbox] ?? 0, rows.count)
            state.most[inbox] = most
            state.shown[inbox] = rows + lost
            return rows + lost.prefix(most - rows.count)
        }
    }

    /// Makes a call of a server, which others may wait for.
    package func calling<Value>(_ call: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.calls += 1 }
        defer { leave() }
        return try await call()
    }

    /// Called within a call: returns when no other is under way that does not wait so itself.
    func quiet() async {
        leave()
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                if state.calls > 0 { state.waiting.append(continuation) }
                return state.calls == 0
            }
            if isQuiet { continuation.resume() }
        }
        state.withLock { $0.calls += 1 }
    }

    private func leave() {
        let waiting = state.withLock { state in
            state.calls -= 1
            defer { if state.calls == 0 { state.waiting = [] } }
            return state.calls == 0 ? state.waiting : []
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A store that breaks a rule, and else does what it should.
package final class LapsingStore: FaultyStore {
    private let breach: LapsePlan

    package init(_ store: sending PostgresStore, _ breach: LapsePlan) {
        self.breach = breach
        super.init(store, FaultPlan())
    }

    package override func credential(of user: UserID) async throws -> Credential? {
        guard var credential = try await super.credential(of: user) else { return nil }
        credential.reader.state = noticed(credential.reader.state)
        return credential
    }

    package override func list(for reader: Reader) async throws -> ListSnapshot? {
        guard let list = try await super.list(for: reader) else { return nil }
        return try await broken(list)
    }

    package override func changes(for reader: Reader, since point: ViewPoint) async throws -> ChangeSnapshot?
    {
        guard var changes = try await super.changes(for: reader, since: point) else { return nil }
        changes.list = try await broken(changes.list)
        return changes
    }

    private func broken(_ list: ListSnapshot) async throws -> ListSnapshot {
        var list = list
        list.reader.state = noticed(list.reader.state)
        switch breach.lapse {
        case .dropsRevision: break
        case .countsExpired: list.reader.now = Instant(rawValue: list.reader.now.rawValue - 1_000_000)
        case .validatesOtherRows:
            await breach.quiet()
            if let later = try await super.credential(of: list.reader.user) {
                list.reader.state = later.reader.state
            }
        case .capReturns:
            let device = breach.filled(list.deliveries.prefix(list.ofDevice), of: list.reader.state.device)
            let person = list.reader.state.person.map {
                breach.filled(list.deliveries.dropFirst(list.ofDevice), of: $0)
            }
            (list.deliveries, list.ofDevice) = (device + (person ?? []), device.count)
        }
        return list
    }

    private func noticed(_ state: ViewState) -> ViewState {
        var state = state
        state.deviceRevision = breach.noticed(state.deviceRevision, of: state.device)
        state.personRevision = breach.noticed(state.personRevision, of: state.person)
        return state
    }

    package override func mark(
        _ messages: [MessageID], broadcasts: [MessageID], of reader: Reader, as mark: Mark,
        upTo point: ViewState?
    ) async throws {
        if mark == .delete { breach.bury(messages) }
        let before = try await super.credential(of: reader.user)?.reader.state
        try await super.mark(messages, broadcasts: broadcasts, of: reader, as: mark, upTo: point)
        guard breach.lapse == .dropsRevision, let before,
            let after = try await super.credential(of: reader.user)?.reader.state
        else { return }
        breach.drop(after.deviceRevision.rawValue - before.deviceRevision.rawValue, of: after.device)
        breach.drop(after.personRevision.rawValue - before.personRevision.rawValue, of: after.person)
    }

    package override func recall(
        _ message: MessageID, in app: AppID, by actor: String
    ) async throws -> RecallOutcome {
        breach.bury([message])
        return try await super.recall(message, in: app, by: actor)
    }
}
