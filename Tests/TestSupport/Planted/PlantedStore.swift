package import InboxModel
package import InboxService
package import InboxStorage
import Platform

/// A store with one fault, and else as it should be.
package final class PlantedStore: FaultyStore {
    private let memory: PlantMemory
    /// Whether it is the second of two.
    private let isSecond: Bool

    package init(_ store: sending PostgresStore, _ memory: PlantMemory, isSecond: Bool) {
        self.memory = memory
        self.isSecond = isSecond
        super.init(store, FaultPlan())
    }

    package override func credential(of user: UserID) async throws -> Credential? {
        guard var credential = try await super.credential(of: user) else { return nil }
        switch memory.fault {
        case .staleInstance: if isSecond { credential.reader.state = memory.seen(credential.reader) }
        case .lingeringPerson: _ = memory.haunt(&credential.reader)
        case .skippedRevision, .resurrectedDelete, .leakedTenant, .lostBroadcastMark, .expiredListed,
            .bodyAfterRecall, .returningCap:
            break
        }
        return credential
    }

    package override func list(for reader: Reader) async throws -> ListSnapshot? {
        try await super.list(for: reader).map(broken)
    }

    package override func changes(for reader: Reader, since point: ViewPoint) async throws -> ChangeSnapshot?
    {
        guard var changes = try await super.changes(for: reader, since: point) else { return nil }
        let known = Set(changes.list.deliveries.map(\.message))
        changes.list = broken(changes.list)
        changes.touched += changes.list.deliveries.map(\.message).filter {
            !known.contains($0) && !changes.touched.contains($0)
        }
        return changes
    }

    private func broken(_ list: ListSnapshot) -> ListSnapshot {
        memory.note(list)
        var list = list
        let reader = list.reader
        switch memory.fault {
        case .resurrectedDelete:
            list.add(memory.risen(in: reader.state.device, at: reader.now), toDevice: true)
            list.add(memory.risen(in: reader.state.person, at: reader.now), toDevice: false)
        case .leakedTenant: list.add([memory.leak(to: reader.user.app)].compactMap(\.self), toDevice: true)
        case .expiredListed: list.reader.now = Instant(rawValue: reader.now.rawValue - 3_000_000)
        case .lingeringPerson: list.add(memory.haunt(&list.reader), toDevice: false)
        case .returningCap:
            let counts = (device: list.ofDevice, person: list.deliveries.count - list.ofDevice)
            let (state, now) = (reader.state, reader.now)
            list.add(memory.returned(to: state.device, beside: counts.device, at: now), toDevice: true)
            list.add(memory.returned(to: state.person, beside: counts.person, at: now), toDevice: false)
        case .skippedRevision, .staleInstance, .lostBroadcastMark, .bodyAfterRecall: break
        }
        return list
    }

    package override func heads(of messages: [MessageID], in app: AppID) async throws -> [MessageHead] {
        var heads = try await super.heads(of: messages, in: app)
        guard memory.fault == .leakedTenant else { return heads }
        for (home, strangers) in memory.strangers(among: messages, in: app) {
            heads += try await super.heads(of: strangers, in: home)
        }
        return heads
    }

    package override func holding(of message: MessageID, by reader: Reader) async throws -> Holding? {
        guard var holding = try await super.holding(of: message, by: reader) else { return nil }
        guard memory.fault == .bodyAfterRecall, let holders = memory.holders(of: message) else {
            return holding
        }
        let state = holding.reader.state
        holding.isLive = true
        holding.isDelivered = holders.contains(state.device)
        holding.isDeliveredToPerson = state.person.map { holders.contains($0) } ?? false
        return holding
    }

    package override func mark(
        _ messages: [MessageID], broadcasts: [MessageID], of reader: Reader, as mark: Mark,
        upTo point: ViewState?
    ) async throws {
        if mark == .delete { memory.bury(messages, of: reader) }
        let kept = memory.fault == .lostBroadcastMark ? [] : broadcasts
        try await super.mark(messages, broadcasts: kept, of: reader, as: mark, upTo: point)
    }

    package override func logOut(
        _ channel: ChannelID, _ condition: LogOut, in app: AppID
    ) async throws -> Association? {
        var reader: Reader?
        if let user = try await super.user(of: channel, in: app) {
            reader = try await super.credential(of: user)?.reader
        }
        let association = try await super.logOut(channel, condition, in: app)
        if let reader { memory.linger(reader) }
        return association
    }

    package override func recall(
        _ message: MessageID, in app: AppID, by actor: String
    ) async throws -> RecallOutcome {
        memory.recall(message)
        return try await super.recall(message, in: app, by: actor)
    }
}

extension ListSnapshot {
    /// Adds rows that are not there yet.
    fileprivate mutating func add(_ rows: [DeliveryRow], toDevice isDevices: Bool) {
        let known = Set(deliveries.map(\.message))
        let new = rows.filter { !known.contains($0.message) }
        deliveries.insert(contentsOf: new, at: isDevices ? ofDevice : deliveries.count)
        if isDevices { ofDevice += new.count }
    }
}
