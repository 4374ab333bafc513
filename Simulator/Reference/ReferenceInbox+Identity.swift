package import InboxModel
package import Platform

extension ReferenceInbox {
    // MARK: Devices

    /// An installation registers: it has an inbox from now on.
    package mutating func register(_ channel: ChannelID, _ type: DeviceType, tags: Set<String> = []) {
        let inbox = makeInbox()
        channels[channel] = Channel(type: type, tags: [Audience.deviceTagGroup: tags], inbox: inbox)
    }

    /// Makes a credential for a channel's inbox, or one of its own without a channel.
    package mutating func makeUser(_ user: UserID, on channel: ChannelID?) {
        guard let channel, let inbox = channels[channel]?.inbox else {
            users[user] = .device(inbox: makeInbox())
            return
        }
        displace(from: inbox)
        users[user] = .device(inbox: inbox)
    }

    /// Makes a channel the user's current one and moves what both hold into one inbox; again changes nothing.
    ///
    /// Where both hold a message, deleted in either is deleted, and the later mark counts.
    package mutating func attach(_ channel: ChannelID, to user: UserID) {
        guard case .device(let origin) = users[user], let target = channels[channel]?.inbox, origin != target,
            let moved = inboxes[origin]
        else { return }
        displace(from: target)
        change(target) { inbox in
            inbox.rows.merge(moved.rows, uniquingKeysWith: ReferenceInbox.joined)
            inbox.baseline = min(inbox.baseline, moved.baseline)
            inbox.moves += 1
        }
        change(origin) { inbox in
            inbox.rows = [:]
            inbox.moves += 1
        }
        capDeliveries(in: target)
        users[user] = .device(inbox: target)
    }

    /// The channel that a user has now, since another user may have taken it.
    package func channel(of user: UserID) -> ChannelID? {
        guard case .device(let inbox) = users[user] else { return nil }
        return channels.first { $0.value.inbox == inbox }?.key
    }

    /// A channel is gone: nothing reaches it, nobody is logged in on it, and its credential is void.
    package mutating func uninstall(_ channel: ChannelID) {
        guard let inbox = channels[channel]?.inbox else { return }
        channels[channel]?.isInstalled = false
        channels[channel]?.person = nil
        for user in users(at: inbox) { users[user] = nil }
    }

    /// Whoever else had an inbox gets an empty one: two users never share.
    ///
    /// Where a device's word does not suffice, nobody is logged in any more on what another has taken.
    private mutating func displace(from inbox: Int) {
        let others = users(at: inbox)
        for user in others { users[user] = .device(inbox: makeInbox()) }
        guard !others.isEmpty, !settings.trustsDevices else { return }
        for (channel, state) in channels where state.inbox == inbox { logout(channel) }
    }

    private func users(at inbox: Int) -> [UserID] {
        users.filter { _, seat in
            if case .device(inbox) = seat { true } else { false }
        }.map(\.key)
    }

    private static func joined(_ one: Row, _ other: Row) -> Row {
        var joined = one
        if let mark = other.markedAt, one.markedAt.map({ $0 < mark }) ?? true { joined = other }
        if one.markedAt == other.markedAt { joined.isUnread = one.isUnread && other.isUnread }
        joined.isDeleted = one.isDeleted || other.isDeleted
        return joined
    }

    // MARK: People

    /// Logs a channel in as a person, who is made if unknown; nothing is copied.
    package mutating func login(_ channel: ChannelID, as person: NamedUserID) {
        guard channels[channel] != nil else { return }
        make(person)
        channels[channel]?.person = person
    }

    /// Logs a channel out.
    package mutating func logout(_ channel: ChannelID) { channels[channel]?.person = nil }

    /// A device says who is logged in on it, without proof; false if its word does not suffice.
    ///
    /// Who was logged in before is then logged out: never back to another person.
    package mutating func claim(_ channel: ChannelID, as person: NamedUserID) -> Bool {
        guard !settings.trustsDevices, channels[channel]?.person != person else {
            login(channel, as: person)
            return true
        }
        logout(channel)
        return false
    }

    /// Opens a person's inbox to a credential for a while; the person is made if unknown.
    package mutating func openSession(_ user: UserID, for person: NamedUserID, until: Instant) {
        make(person)
        users[user] = .session(person, until: until)
    }

    /// Ends a session.
    package mutating func endSession(_ user: UserID) { users[user] = nil }

    /// Forgets a person with everything that was theirs; devices are logged out.
    package mutating func erase(_ person: NamedUserID) -> Bool {
        guard let inbox = people[person]?.inbox else { return false }
        people[person] = nil
        let held = inboxes.removeValue(forKey: inbox)?.rows.keys.map { $0 } ?? []
        // What nobody else holds goes with the person.
        for id in held where messages[id]?.broadcastNumber == nil {
            if !inboxes.values.contains(where: { $0.rows[id] != nil }) { messages[id] = nil }
        }
        for (channel, _) in channels.filter({ $0.value.person == person }) { logout(channel) }
        users = users.filter { _, seat in
            if case .session(person, _) = seat { false } else { true }
        }
        return true
    }

    private mutating func make(_ person: NamedUserID) {
        guard people[person] == nil else { return }
        people[person] = Person(inbox: makeInbox())
    }

    // MARK: Tags

    /// Replaces a channel's tags of a group.
    package mutating func setTags(_ tags: Set<String>, in group: String, of channel: ChannelID) {
        channels[channel]?.tags[group] = tags
    }

    /// Replaces a person's tags of a group.
    package mutating func setTags(_ tags: Set<String>, in group: String, of person: NamedUserID) {
        people[person]?.tags[group] = tags
    }
}
