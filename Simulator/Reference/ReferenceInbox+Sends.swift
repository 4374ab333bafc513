package import InboxModel
package import Platform

extension ReferenceInbox {
    /// What the server answered to a send.
    package struct Answer: Hashable, Sendable {
        package var message: MessageID
        package var sent: Instant
        package var expires: Instant
        package var recipients: Int
        /// As `kind:id`, such as `named_user:ana`.
        package var unknown: [String]

        package init(
            message: MessageID, sent: Instant, expires: Instant, recipients: Int, unknown: [String]
        ) {
            self.message = message
            self.sent = sent
            self.expires = expires
            self.recipients = recipients
            self.unknown = unknown
        }
    }

    /// Whom a message would reach now, and whom it names in vain.
    package func reach(_ audience: Audience, on types: DeviceTypes) -> (recipients: Int, unknown: Set<String>)
    {
        (targets(audience, types).count, unknown(in: audience))
    }

    /// Keeps a message that the server has sent; returns what is wrong with its answer.
    package mutating func send(
        to audience: Audience, on types: DeviceTypes, extra: [String: String], answered answer: Answer
    ) -> [String] {
        let reach = reach(audience, on: types)
        let position = Position(sentMilliseconds: answer.sent.milliseconds, id: answer.message.text)
        messages[answer.message] = SentMessage(
            position: position, sent: answer.sent, expires: answer.expires, types: types, extra: extra)
        if audience == .everyone {
            broadcastCount += 1
            messages[answer.message]?.broadcastNumber = broadcastCount
            capBroadcasts()
        } else {
            for inbox in targets(audience, types) { deliver(answer.message, to: inbox) }
        }
        var wrong: [String] = []
        if answer.recipients != reach.recipients {
            wrong.append("recipients \(answer.recipients), not \(reach.recipients)")
        }
        if Set(answer.unknown) != reach.unknown {
            wrong.append("unknown \(answer.unknown.sorted()), not \(reach.unknown.sorted())")
        }
        return wrong
    }

    /// Takes a message back from every view, for good; false if it is unknown, expired or taken back already.
    package mutating func recall(_ id: MessageID) -> Bool {
        guard let message = messages[id], !message.isRecalled, now < message.expires else { return false }
        messages[id]?.isRecalled = true
        let holders = inboxes.keys.filter { inboxes[$0]?.rows[id] != nil }
        // What is taken back by a row of the log stays where it is, unseen, and counts for the cap.
        guard message.broadcastNumber == nil, holders.count <= settings.mostTombstones else { return true }
        for holder in holders { change(holder) { $0.rows[id]?.isDeleted = true } }
        return true
    }

    // MARK: Audiences

    /// The inboxes of a message: of people, where it is for them, and of devices by themselves or for others.
    private func targets(_ audience: Audience, _ types: DeviceTypes) -> Set<Int> {
        let owners = people.filter { name, person in
            settings.keepsWithPeople && isOfPeople(audience) && matches(name, [person.tags], nil, audience)
        }
        let devices = channels.filter { id, channel in
            let person = channel.person
            let tags = [channel.tags, person.flatMap { people[$0]?.tags } ?? [:]]
            return channel.isInstalled && types.contains(DeviceTypes(channel.type))
                && matches(person, tags, (id, channel.type), audience)
                && (person.flatMap { owners[$0] } == nil || matches(nil, [channel.tags], nil, audience))
        }
        return Set(owners.map(\.value.inbox) + devices.map(\.value.inbox))
    }

    private func isOfPeople(_ audience: Audience) -> Bool {
        switch audience {
        case .namedUsers: return true
        case .tags(_, let group): return group != Audience.deviceTagGroup
        case .any(let parts): return !parts.contains { !isOfPeople($0) }
        case .all(let parts):
            let all = parts.map { if case .not(let part) = $0 { part } else { $0 } }
            return parts.contains { isOfPeople($0) } && all.allSatisfy { isOfPeople($0) }
        case .everyone, .channels, .not: return false
        }
    }

    private func matches(
        _ name: NamedUserID?, _ tags: [[String: Set<String>]], _ channel: (ChannelID, DeviceType)?,
        _ audience: Audience
    ) -> Bool {
        switch audience {
        case .everyone: true
        case .channels(let ids, let type):
            channel.map { ids.contains($0.0) && (type == nil || type == $0.1) } ?? false
        case .namedUsers(let named): name.map(named.contains) ?? false
        case .tags(let wanted, let group): tags.contains { !($0[group] ?? []).isDisjoint(with: wanted) }
        case .all(let parts): parts.allSatisfy { matches(name, tags, channel, $0) }
        case .any(let parts): parts.contains { matches(name, tags, channel, $0) }
        case .not(let part): !matches(name, tags, channel, part)
        }
    }

    private func unknown(in audience: Audience) -> Set<String> {
        switch audience {
        case .everyone, .tags: []
        case .channels(let ids, _): Set(ids.filter { channels[$0] == nil }.map { "channel:\($0.text)" })
        case .namedUsers(let named): Set(named.filter { people[$0] == nil }.map { "named_user:\($0.text)" })
        case .all(let parts), .any(let parts): Set(parts.flatMap { unknown(in: $0) })
        case .not(let part): unknown(in: part)
        }
    }

    // MARK: Cap

    private mutating func deliver(_ id: MessageID, to inbox: Int) {
        guard let position = messages[id]?.position else { return }
        let isGone = !isAbove(inboxes[inbox]?.floor, position)
        change(inbox) { $0.rows[id] = Row(isDeleted: isGone) }
        capDeliveries(in: inbox)
    }

    /// The newest deliveries stay, expired ones among them; what falls out raises the floor and is gone like a delete.
    mutating func capDeliveries(in inbox: Int) {
        let positions = (inboxes[inbox]?.rows ?? [:]).compactMap { id, row -> Position? in
            guard let message = messages[id], message.broadcastNumber == nil, !row.isDeleted else {
                return nil
            }
            return message.position
        }.sorted()
        guard positions.count > settings.cap else { return }
        raiseFloor(of: inbox, to: positions[settings.cap])
    }

    /// Buries the deliveries at a floor and behind it.
    mutating func raiseFloor(of inbox: Int, to floor: Position) {
        let gone = (inboxes[inbox]?.rows ?? [:]).keys.filter { id in
            guard let message = messages[id], message.broadcastNumber == nil else { return false }
            return message.position >= floor
        }
        change(inbox) {
            $0.floor = floor
            for id in gone { $0.rows[id]?.isDeleted = true }
        }
    }

    /// Likewise for messages to everyone, of which a floor that was reached is never lowered.
    private mutating func capBroadcasts() {
        let positions = messages.values.filter { $0.broadcastNumber != nil }.map(\.position).sorted()
        guard positions.count > settings.cap else { return }
        let beyond = positions[settings.cap]
        floor = floor.map { min($0, beyond) } ?? beyond
    }
}
