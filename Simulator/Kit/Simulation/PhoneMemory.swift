import InboxClient
import InboxModel
import Platform

/// What one must remember of a device to tell whether what it shows can be right.
struct PhoneMemory: Sendable {
    /// What lists held of the inbox of whoever was logged in, as the device believes.
    private var ofPeople: [NamedUserID?: Set<MessageID>] = [:]
    /// What they held of the device and of everyone.
    private var ofDevice: Set<MessageID> = []
    private var read: Set<Mine> = []
    private var deleted: Set<Mine> = []
    /// Marks that the device has acknowledged, until the server was told or they became idle.
    private(set) var owed: [Int64: PendingMark] = [:]
    /// Numbers of marks that the server has been told of.
    private var told: Set<Int64> = []
    /// Whether another than the device has changed who is logged in on it, and it was not told so by a login.
    var isTouched = false
    /// Whether that has ever happened.
    var wasTouched = false
    var isUninstalled = false
    /// Who logged in last and was not refused: whoever else is logged in, a login is lost.
    private(set) var person: NamedUserID?
    /// How far its idea of the server's time may be off.
    var clockError = Duration.zero

    /// A message as somebody on the device has it: what lies on the device is everybody's.
    private struct Mine: Hashable {
        let person: NamedUserID?
        let isOfDevice: Bool
        let message: MessageID
    }

    // MARK: What happens

    /// A list was answered to the device, which believes that a person is logged in.
    mutating func serve(_ row: MessageID, isPersons: Bool, to person: NamedUserID?) {
        if isPersons { ofPeople[person, default: []].insert(row) } else { ofDevice.insert(row) }
    }

    /// Something shown was marked while a person was logged in, and acknowledged.
    mutating func mark(_ mark: PendingMark, of row: MessageRow, by person: NamedUserID?) {
        owed[mark.number] = mark
        for mine in keys(of: row, person) {
            switch mark.mark {
            case .read: read.insert(mine)
            case .unread: read.remove(mine)
            case .delete: deleted.insert(mine)
            }
        }
    }

    mutating func logIn(_ person: NamedUserID?) { self.person = person }

    /// The server refused a login; one of the same person that was made since may wait.
    mutating func refuse(_ refused: NamedUserID, now current: NamedUserID?) {
        if person == refused, current == nil { person = nil }
    }

    mutating func tell(_ numbers: Set<Int64>) { told.formUnion(numbers) }

    /// What becomes of marks of these messages is the server's to say.
    mutating func forget(_ messages: Set<MessageID>) {
        read = read.filter { !messages.contains($0.message) }
        deleted = deleted.filter { !messages.contains($0.message) }
    }

    /// Another installation begins with nothing but what is owed.
    mutating func beginAnew() {
        (ofPeople, ofDevice, read, deleted) = ([:], [], [], [])
        (isTouched, isUninstalled) = (false, false)
    }

    // MARK: What can be

    /// What is wrong with a row that is shown to a person; nothing if it is possible.
    func objection(
        to row: MessageRow, of person: NamedUserID?, markedUnread: Set<MessageID>
    ) -> String? {
        let isServed = row.place == .person ? ofPeople[person]?.contains(row.id) : ofDevice.contains(row.id)
        if isServed != true { return "no list held it for whoever is logged in" }
        let mine = keys(of: row, person)
        if mine.contains(where: deleted.contains) { return "it was deleted here" }
        if row.isUnread, mine.contains(where: read.contains), !markedUnread.contains(row.id) {
            return "it was read here, and nobody marked it unread"
        }
        return nil
    }

    /// Forgets marks that an outbox has no more, since the server was told or a later one waits; returns one that is lost.
    mutating func settle(_ outbox: Outbox) -> PendingMark? {
        guard !owed.isEmpty else { return nil }
        let marks = outbox.stretches.flatMap(\.marks)
        let waiting = Set(marks.map(\.number))
        for number in owed.keys.sorted() where !waiting.contains(number) {
            guard let mark = owed.removeValue(forKey: number) else { continue }
            let isIdle = marks.contains { $0.message == mark.message && $0.number > number }
            if told.remove(number) == nil, !isIdle { return mark }
        }
        return nil
    }

    /// As what a row is remembered: an own message of a person is that person's, all else lies on the device as well.
    private func keys(of row: MessageRow, _ person: NamedUserID?) -> [Mine] {
        let own = Mine(person: person, isOfDevice: false, message: row.id)
        return row.place == .person ? [own] : [own, Mine(person: nil, isOfDevice: true, message: row.id)]
    }
}
