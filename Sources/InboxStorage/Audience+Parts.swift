import InboxModel

extension Audience {
    /// The same parts of an *or* with selectors of one kind in one: each that is left costs PostgreSQL a plan of its own.
    static func merged(_ parts: [Audience]) -> [Audience] {
        var merged: [Audience] = []
        var places: [Kind: Int] = [:]
        for part in parts {
            guard let kind = Kind(part), let place = places[kind] else {
                Kind(part).map { places[$0] = merged.count }
                merged.append(part)
                continue
            }
            switch (merged[place], part) {
            case (.channels(let some, let type), .channels(let more, _)):
                merged[place] = .channels(some + more, type: type)
            case (.namedUsers(let some), .namedUsers(let more)): merged[place] = .namedUsers(some + more)
            case (.tags(let some, let group), .tags(let more, _)):
                merged[place] = .tags(some + more, group: group)
            default: preconditionFailure("parts of one kind have one case")
            }
        }
        return merged
    }

    /// What selectors have in common that can be one.
    private enum Kind: Hashable {
        case channels(DeviceType?)
        case namedUsers
        case tags(group: String)

        init?(_ audience: Audience) {
            switch audience {
            case .channels(_, let type): self = .channels(type)
            case .namedUsers: self = .namedUsers
            case .tags(_, let group): self = .tags(group: group)
            case .everyone, .all, .any, .not: return nil
            }
        }
    }

    /// The same but for names that were told to be unknown, as `kind:id`.
    ///
    /// Whoever comes to be while a message is sent is then either reached or unknown, and never both.
    func without(_ unknown: Set<String>) -> Audience {
        guard !unknown.isEmpty else { return self }
        switch self {
        case .everyone, .tags: return self
        case .channels(let channels, let type):
            return .channels(channels.filter { !unknown.contains("channel:\($0.text)") }, type: type)
        case .namedUsers(let people):
            return .namedUsers(people.filter { !unknown.contains("named_user:\($0.text)") })
        case .all(let parts): return .all(parts.map { $0.without(unknown) })
        case .any(let parts): return .any(parts.map { $0.without(unknown) })
        case .not(let part): return .not(part.without(unknown))
        }
    }

    /// The people it names, for telling which of them are unknown.
    var namedPeople: [NamedUserID] {
        switch self {
        case .namedUsers(let people): people
        case .all(let parts), .any(let parts): parts.flatMap(\.namedPeople)
        case .not(let part): part.namedPeople
        case .everyone, .channels, .tags: []
        }
    }

    /// The channels it names.
    var namedChannels: [ChannelID] {
        switch self {
        case .channels(let channels, _): channels
        case .all(let parts), .any(let parts): parts.flatMap(\.namedChannels)
        case .not(let part): part.namedChannels
        case .everyone, .namedUsers, .tags: []
        }
    }

    /// Whether it speaks of tags, which devices have too.
    var namesTags: Bool {
        switch self {
        case .tags: true
        case .all(let parts), .any(let parts): parts.contains(where: \.namesTags)
        case .not(let part): part.namesTags
        case .everyone, .channels, .namedUsers: false
        }
    }

    /// Whether all it says is *or*, so that one of its selectors alone decides that somebody is meant.
    var isPlain: Bool {
        switch self {
        case .everyone, .channels, .namedUsers, .tags: true
        case .any(let parts): parts.allSatisfy(\.isPlain)
        case .all, .not: false
        }
    }
}
