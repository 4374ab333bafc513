import InboxModel
import InboxService
import Platform

/// What the stores of several servers have to remember together to show one fault over one database.
///
/// All times are the database's.
package final class PlantMemory: Sendable {
    package let fault: PlantedFault
    private let state = Lock(State())

    fileprivate struct State {
        /// What each inbox was last listed with.
        var listed: [InboxID: [DeliveryRow]] = [:]
        /// Whose each listed message is.
        var homes: [MessageID: AppID] = [:]
        var lists = 0
        var deleted: [InboxID: [MessageID: Instant]] = [:]
        /// What each inbox lost by the cap, and how many it showed at a time.
        var fallen: [InboxID: [DeliveryRow: Instant]] = [:]
        var most: [InboxID: Int] = [:]
        /// Deleted or taken back.
        var gone: Set<MessageID> = []
        var looked: [UserID: (state: ViewState, at: Instant)] = [:]
        var lingering: [UserID: Lingering] = [:]
        /// Which inboxes held a message when it was recalled.
        var holders: [MessageID: Set<InboxID>] = [:]
    }

    /// A person who is gone from a device, and what the device showed of them.
    fileprivate struct Lingering {
        var state: ViewState
        var until: Instant
        var rows: [DeliveryRow]
    }

    package init(_ fault: PlantedFault) { self.fault = fault }

    /// Remembers a right list.
    func note(_ list: ListSnapshot) {
        let now = list.reader.now
        state.withLock { state in
            state.lists += 1
            state.note(list.deliveries.prefix(list.ofDevice), of: list.reader.state.device, at: now)
            if let person = list.reader.state.person {
                state.note(list.deliveries.dropFirst(list.ofDevice), of: person, at: now)
            }
            for row in list.deliveries { state.homes[row.message] = list.reader.user.app }
        }
    }

    // MARK: Deleted

    func bury(_ messages: [MessageID], of reader: Reader) {
        state.withLock { state in
            state.gone.formUnion(messages)
            for inbox in [reader.state.device, reader.state.person].compactMap(\.self) {
                let held = Set((state.listed[inbox] ?? []).map(\.message))
                for message in messages where held.contains(message) {
                    state.deleted[inbox, default: [:]][message] = reader.now
                }
            }
        }
    }

    /// What was deleted from an inbox more than a second before, as rows.
    func risen(in inbox: InboxID?, at now: Instant) -> [DeliveryRow] {
        guard let inbox else { return [] }
        let deleted = state.withLock { $0.deleted[inbox] ?? [:] }
        return deleted.filter { $0.value.rawValue + 1_000_000 < now.rawValue }
            .map { DeliveryRow(message: $0.key, isUnread: false) }
    }

    // MARK: Cap

    /// What an inbox lost a second before and has room for again.
    func returned(to inbox: InboxID?, beside count: Int, at now: Instant) -> [DeliveryRow] {
        guard let inbox else { return [] }
        return state.withLock { state in
            let room = max(0, (state.most[inbox] ?? 0) - count)
            let lost = (state.fallen[inbox] ?? [:]).filter {
                $0.value.rawValue + 1_000_000 < now.rawValue && !state.gone.contains($0.key.message)
            }
            return Array(lost.keys.prefix(room))
        }
    }

    // MARK: Tenants

    /// A row of another app, with every fifth list.
    func leak(to app: AppID) -> DeliveryRow? {
        state.withLock { state in
            guard state.lists.isMultiple(of: 5) else { return nil }
            return state.homes.first { $0.value != app }.map { DeliveryRow(message: $0.key, isUnread: false) }
        }
    }

    /// Those of the messages that are another app's, by app.
    func strangers(among messages: [MessageID], in app: AppID) -> [AppID: [MessageID]] {
        let homes = state.withLock { $0.homes }
        return Dictionary(grouping: messages.filter { homes[$0] ?? app != app }) { homes[$0] ?? app }
    }

    // MARK: States

    /// The state that was looked up within the last 1.5 s, or else this one; what it says of the app is true, since
    /// a mark by an old one would miss the broadcasts that it does not know.
    func seen(_ reader: Reader) -> ViewState {
        state.withLock { state in
            if var looked = state.looked[reader.user], reader.now.rawValue < looked.at.rawValue + 1_500_000 {
                looked.state.appRevision = reader.state.appRevision
                return looked.state
            }
            state.looked[reader.user] = (reader.state, reader.now)
            return reader.state
        }
    }

    // MARK: Logout

    /// The reader's person goes, and is seen for 3 s more.
    func linger(_ reader: Reader) {
        guard let person = reader.state.person else { return }
        state.withLock { state in
            state.lingering[reader.user] = Lingering(
                state: reader.state, until: Instant(rawValue: reader.now.rawValue + 3_000_000),
                rows: (state.listed[person] ?? []).map { DeliveryRow(message: $0.message, isUnread: false) })
        }
    }

    /// Puts a person who has just gone back, and says what is listed of them.
    func haunt(_ reader: inout Reader) -> [DeliveryRow] {
        guard reader.state.person == nil, let lingering = state.withLock({ $0.lingering[reader.user] }),
            reader.now < lingering.until
        else { return [] }
        reader.state.person = lingering.state.person
        reader.state.personRevision = lingering.state.personRevision
        return lingering.rows
    }

    // MARK: Recalls

    func recall(_ message: MessageID) {
        state.withLock { state in
            state.gone.insert(message)
            for inbox in state.deleted.keys { state.deleted[inbox]?[message] = nil }
            let holders = state.listed.filter { $0.value.contains { $0.message == message } }
            if state.holders[message] == nil { state.holders[message] = Set(holders.keys) }
        }
    }

    /// Which inboxes held a message when it was recalled; nothing if it was not.
    func holders(of message: MessageID) -> Set<InboxID>? { state.withLock { $0.holders[message] } }
}

extension PlantMemory.State {
    /// Remembers the rows of an inbox, and which it has no more.
    fileprivate mutating func note(_ rows: ArraySlice<DeliveryRow>, of inbox: InboxID, at now: Instant) {
        let known = Set(rows.map(\.message))
        var fallen = (self.fallen[inbox] ?? [:]).filter { !known.contains($0.key.message) }
        for row in listed[inbox] ?? [] where !known.contains(row.message) && !gone.contains(row.message) {
            fallen[row] = now
        }
        self.fallen[inbox] = fallen
        most[inbox] = max(most[inbox] ?? 0, rows.count)
        listed[inbox] = Array(rows)
    }
}
