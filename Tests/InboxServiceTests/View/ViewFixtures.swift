import InboxModel
import InboxService
import Platform

/// One small world: an app, a device and perhaps a person, and messages that are told apart by a letter.
struct ViewWorld {
    var reader = reader()
    var deliveries: [DeliveryRow] = []
    /// How many of `deliveries`, the last ones, are the person's.
    var ofPerson = 0
    var person: NamedUserID?
    var marks: [BroadcastMark] = []
    var log = AppLog()
    var facts: [MessageID: MessageFacts] = [:]

    static let now = Instant(seconds: 1_900_000_000)

    static func reader(
        types: DeviceTypes = DeviceTypes(.ios), baseline: Int64 = 0, app: Int64 = 0, now: Instant = now
    ) -> Reader {
        Reader(
            user: UserID(app: AppID(rawValue: 1), key: 1),
            state: ViewState(
                device: InboxID(rawValue: 1), deviceRevision: Revision(rawValue: 1), person: nil,
                personRevision: Revision(rawValue: 0),
                app: (Revision(rawValue: app), Revision(rawValue: 1))),
            deviceTypes: types, baseline: Revision(rawValue: baseline), now: now)
    }

    var view: View {
        let snapshot = ListSnapshot(
            reader: reader, deliveries: deliveries, ofDevice: deliveries.count - ofPerson, marks: marks,
            person: person)
        return View(snapshot, log: log) { facts[$0] }
    }

    /// The view as letters in its order, capital where unread.
    var text: String {
        view.rows.map { row in
            let letter = String(UnicodeScalar(UInt8(truncatingIfNeeded: number(row.message))))
            return row.isUnread ? letter.uppercased() : letter
        }.joined()
    }

    mutating func deliver(
        _ letter: Character, unread: Bool = true, sent: Int64 = -100, life: Int64 = 1000,
        types: DeviceTypes = .all
    ) {
        let message = id(letter)
        deliveries.append(DeliveryRow(message: message, isUnread: unread))
        facts[message] = MessageFacts(
            sent: ViewWorld.time(sent), expires: ViewWorld.time(life), deviceTypes: types)
    }

    /// Adds entries to the log and lets the reader see all of them.
    mutating func log(_ entries: LogEntry...) {
        read(entries)
        reader.state.appRevision = log.revision
    }

    /// Adds entries to the log that the reader's state does not know of.
    mutating func read(_ entries: [LogEntry]) {
        log.append(LogNews(entries, reached: entries.last?.revision ?? log.revision), now: reader.now)
        for case .broadcast(let position, let expires, let types, _) in entries.map(\.kind) {
            facts[position.message] = MessageFacts(
                sent: position.sent, expires: expires, deviceTypes: types)
        }
    }

    mutating func mark(_ letter: Character, unread: Bool = false, deleted: Bool = false, at second: Int64 = 0)
    {
        marks.append(
            BroadcastMark(
                message: id(letter), isUnread: unread, isDeleted: deleted, at: ViewWorld.time(second)))
    }

    /// Seconds from now.
    static func time(_ seconds: Int64) -> Instant { Instant(rawValue: now.rawValue + seconds * 1_000_000) }

    private func number(_ message: MessageID) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).first { id(Character(UnicodeScalar($0))) == message } ?? 0x3F
    }
}

func id(_ letter: Character) -> MessageID {
    MessageID(high: UInt64(letter.asciiValue ?? 0) << 48, low: 0)
}

func broadcast(
    _ letter: Character, at revision: Int64, sent: Int64 = -100, life: Int64 = 1000, types: DeviceTypes = .all
) -> LogEntry {
    LogEntry(
        revision: Revision(rawValue: revision),
        kind: .broadcast(
            ListPosition(sent: ViewWorld.time(sent), message: id(letter)), expires: ViewWorld.time(life),
            types,
            floor: nil))
}

/// A broadcast that raised the floor to where another message stands.
func broadcast(
    _ letter: Character, at revision: Int64, sent: Int64, life: Int64 = 1000, floor: (Character, Int64)
) -> LogEntry {
    LogEntry(
        revision: Revision(rawValue: revision),
        kind: .broadcast(
            ListPosition(sent: ViewWorld.time(sent), message: id(letter)), expires: ViewWorld.time(life),
            .all,
            floor: ListPosition(sent: ViewWorld.time(floor.1), message: id(floor.0))))
}

func recall(_ letter: Character, at revision: Int64, life: Int64 = 1000) -> LogEntry {
    LogEntry(
        revision: Revision(rawValue: revision), kind: .recall(id(letter), expires: ViewWorld.time(life)))
}
