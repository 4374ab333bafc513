package import InboxModel

extension ReferenceInbox {
    /// Whose view it is, as of now.
    struct Reader {
        var person: NamedUserID?
        var deviceInbox: Int?
        var personInbox: Int?
        var types: DeviceTypes

        var inboxes: [Int] { [deviceInbox, personInbox].compactMap(\.self) }
    }

    /// Who is logged in, and the numbers of the inboxes that are shown.
    package struct Ownership: Hashable, Sendable {
        package let person: NamedUserID?
        let inboxes: [Int]
        /// How often deliveries were moved into or out of them, which no cursor outlives.
        let moves: Int
    }

    /// What a credential sees, in list order; nothing if the credential is unknown, void or has ended.
    package func view(of user: UserID) -> [Listed]? {
        guard let reader = reader(user) else { return nil }
        return messages.sorted { $0.value.position < $1.value.position }
            .compactMap { id, message in listed(id, message, by: reader) }
    }

    /// The unread messages of the view.
    package func unreadCount(of user: UserID) -> Int? { view(of: user)?.count(where: \.isUnread) }

    /// Whether the body of a message is shown to a credential.
    package func holds(bodyOf message: MessageID, for user: UserID) -> Bool {
        view(of: user)?.contains { $0.message == message } ?? false
    }

    /// Whose view a credential has: while this is the same, a cursor is good.
    package func ownership(of user: UserID) -> Ownership? {
        reader(user).map { reader in
            let moves = reader.inboxes.reduce(0) { $0 + (inboxes[$1]?.moves ?? 0) }
            return Ownership(person: reader.person, inboxes: reader.inboxes, moves: moves)
        }
    }

    /// What was sent beside title and body.
    package func extra(of message: MessageID) -> [String: String] { messages[message]?.extra ?? [:] }

    func reader(_ user: UserID) -> Reader? {
        switch users[user] {
        case .device(let inbox):
            let channel = channel(of: inbox)
            let person = channel?.person
            return Reader(
                person: person, deviceInbox: inbox, personInbox: person.flatMap { people[$0]?.inbox },
                types: channel.map { DeviceTypes($0.type) } ?? .all)
        case .session(let person, let until):
            guard now < until, let inbox = people[person]?.inbox else { return nil }
            return Reader(person: person, personInbox: inbox, types: .all)
        case nil: return nil
        }
    }

    func channel(of inbox: Int) -> Channel? { channels.values.first { $0.inbox == inbox } }

    private func listed(_ id: MessageID, _ message: SentMessage, by reader: Reader) -> Listed? {
        guard !message.isRecalled, now < message.expires, !message.types.isDisjoint(with: reader.types),
            let place = place(of: id, message, for: reader),
            passesFilter(message, at: place, for: reader)
        else { return nil }
        let rows = reader.inboxes.compactMap { inboxes[$0]?.rows[id] }
        // Held by two: deleted in either is deleted.
        guard !rows.contains(where: \.isDeleted) else { return nil }
        return Listed(
            message: id, isUnread: isUnread(rows), place: place, sent: message.sent, expires: message.expires)
    }

    private func place(of id: MessageID, _ message: SentMessage, for reader: Reader) -> Place? {
        if let number = message.broadcastNumber {
            let baseline = reader.inboxes.compactMap { inboxes[$0]?.baseline }.min() ?? 0
            return number > baseline && isAbove(floor, message.position) ? .app : nil
        }
        if let inbox = reader.personInbox, inboxes[inbox]?.rows[id] != nil { return .person }
        if let inbox = reader.deviceInbox, inboxes[inbox]?.rows[id] != nil { return .device }
        return nil
    }

    /// The filter judges device and broadcast deliveries; a delivery in the person's own inbox passes.
    private func passesFilter(_ message: SentMessage, at place: Place, for reader: Reader) -> Bool {
        guard settings.filters, place != .person else { return true }
        guard let person = reader.person else { return false }
        guard let target = message.extra["named_user_id"] else { return settings.showsUntargeted }
        // Both are in one normal form, and then String compares by bytes.
        return target == person.text
    }

    /// Of several marks the latest counts, and of two at the same time the one that says read.
    private func isUnread(_ rows: [Row]) -> Bool {
        let latest = rows.compactMap(\.markedAt).max()
        return rows.filter { $0.markedAt == latest }.allSatisfy(\.isUnread)
    }

    func isAbove(_ floor: Position?, _ position: Position) -> Bool { floor.map { position < $0 } ?? true }
}
