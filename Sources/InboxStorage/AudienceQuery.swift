import InboxModel
import Postgres

/// An audience as a set of inboxes in SQL: each selector is driven by an index, and sets are joined as sets.
struct AudienceQuery {
    let app: AppID
    let audience: Audience
    let deviceTypes: DeviceTypes
    /// Only inboxes above it come into question, if there is one: every selector looks at these alone.
    var start: InboxID?

    /// A query of `inbox_id` and `person_id` (who was logged in when it ran) of the channels that match.
    ///
    /// - Complexity: the rows that the selectors find; *everyone* and *not* walk the app's channels.
    var devices: SQL {
        """
        SELECT c.inbox_id, i.person_id
        FROM channels c
        JOIN inboxes i ON i.app_id = c.app_id AND i.inbox_id = c.inbox_id
        WHERE \(isMatchingChannel)
        """
    }

    /// The same of `inbox_id` alone, which needs no look at the inboxes.
    var deviceInboxes: SQL { "SELECT c.inbox_id FROM channels c WHERE \(isMatchingChannel)" }

    /// The same of people: a query of `inbox_id` and of an always empty `person_id`.
    func people(_ people: [NamedUserID]) -> SQL {
        """
        SELECT inbox_id, NULL::bigint AS person_id
        FROM named_users
        WHERE app_id = \(app) AND named_user = ANY(\(people))\(bound("inbox_id"))
        """
    }

    /// A query of one number: the installed channels of some types, out of the app's book of them.
    ///
    /// - Complexity: a few rows for each type, however many channels there are.
    static func installedChannels(of types: DeviceTypes, in app: AppID) -> SQL {
        """
        SELECT coalesce(sum(channels), 0)::bigint
        FROM channel_counts
        WHERE app_id = \(app) AND device_type & \(types) <> 0
        """
    }

    private var isMatchingChannel: SQL {
        """
        c.app_id = \(app) AND c.uninstalled_at IS NULL AND c.device_type & \(deviceTypes) <> 0
            AND c.inbox_id IN (\(inboxes(of: audience)))\(bound("c.inbox_id"))
        """
    }

    private func inboxes(of audience: Audience) -> SQL {
        switch audience {
        case .everyone:
            return "SELECT inbox_id FROM channels WHERE app_id = \(app)\(bound("inbox_id"))"
        case .channels(let channels, let type):
            let types = type.map { DeviceTypes($0) } ?? .all
            return """
                SELECT inbox_id FROM channels
                WHERE app_id = \(app) AND channel_id = ANY(\(channels)) AND device_type & \(types) <> 0\(bound("inbox_id"))
                """
        case .namedUsers(let people):
            return """
                SELECT d.inbox_id
                FROM named_users n
                JOIN inboxes d ON d.app_id = n.app_id AND d.person_id = n.inbox_id
                WHERE n.app_id = \(app) AND n.named_user = ANY(\(people))\(bound("d.inbox_id"))
                """
        case .tags(let tags, let group):
            return """
                SELECT inbox_id FROM inbox_tags
                WHERE app_id = \(app) AND tag_group = \(group) AND tag = ANY(\(tags))\(bound("inbox_id"))
                UNION
                SELECT d.inbox_id
                FROM inbox_tags t
                JOIN inboxes d ON d.app_id = t.app_id AND d.person_id = t.inbox_id
                WHERE t.app_id = \(app) AND t.tag_group = \(group) AND t.tag = ANY(\(tags))\(bound("d.inbox_id"))
                """
        case .all(let parts): return intersection(of: parts)
        case .any(let parts): return joined(Audience.merged(parts), by: " UNION ")
        case .not(let part): return intersection(of: [.not(part)])
        }
    }

    private func bound(_ column: SQL) -> SQL {
        start.map { " AND " + column + " > \($0)" } ?? ""
    }

    /// What is excluded is taken away from what is not; all channels are walked only if there is nothing else.
    private func intersection(of parts: [Audience]) -> SQL {
        let excluded = parts.compactMap { part -> Audience? in
            if case .not(let excluded) = part { excluded } else { nil }
        }
        let included = parts.filter { part in
            if case .not = part { false } else { true }
        }
        let all = included.isEmpty ? inboxes(of: .everyone) : joined(included, by: " INTERSECT ")
        return excluded.isEmpty ? all : "(\(all)) EXCEPT (\(inboxes(of: .any(excluded))))"
    }

    private func joined(_ parts: [Audience], by word: SQL) -> SQL {
        precondition(!parts.isEmpty, "the reader of audiences refuses empty ones")
        return parts.dropFirst().reduce("(\(inboxes(of: parts[0])))") { sum, part in
            sum + word + "(\(inboxes(of: part)))"
        }
    }
}

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
}
