import InboxModel
import Postgres

/// An audience as a set of inboxes in SQL: each selector is driven by an index, and sets are joined as sets.
struct AudienceQuery {
    let app: AppID
    let audience: Audience
    let deviceTypes: DeviceTypes
    /// Without, an audience of people means the devices beside them alone.
    var reachesPeople = true
    /// Only inboxes above it come into question, if there is one: every selector looks at these alone.
    var start: InboxID?

    /// A query of `inbox_id` and `person_id` (who was logged in when it ran) of the channels that match.
    ///
    /// - Complexity: the rows that the selectors find; *everyone* and *not* walk the app's channels.
    var devices: SQL { devices(where: isMatchingChannel(by: .deviceAndPerson)) }

    /// The same of `inbox_id` alone, which needs no look at the inboxes.
    var deviceInboxes: SQL {
        "SELECT c.inbox_id FROM channels c WHERE \(isMatchingChannel(by: .deviceAndPerson))"
    }

    /// Whose name and tags count for an inbox.
    enum Bearer {
        /// Its owner alone: the person, or the device, which has no name.
        case owner
        /// A device, and the person who is logged in on it.
        case deviceAndPerson
    }

    /// Channels `c` and their inboxes `i` for which something holds.
    func devices(where condition: SQL) -> SQL {
        """
        SELECT c.inbox_id, i.person_id
        FROM channels c
        JOIN inboxes i ON i.app_id = c.app_id AND i.inbox_id = c.inbox_id
        WHERE \(condition)
        """
    }

    /// What holds for a channel `c` that matches.
    func isMatchingChannel(by bearer: Bearer) -> SQL {
        """
        c.app_id = \(app) AND c.uninstalled_at IS NULL AND c.device_type & \(deviceTypes) <> 0
            AND c.inbox_id IN (\(inboxes(of: audience, by: bearer)))\(bound("c.inbox_id"))
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

    /// A query of `inbox_id`, of channels that are not installed too.
    func inboxes(of audience: Audience, by bearer: Bearer) -> SQL {
        switch audience {
        case .everyone:
            return "SELECT inbox_id FROM channels WHERE app_id = \(app)\(bound("inbox_id"))"
        case .channels(let channels, let type):
            let types = type.map { DeviceTypes($0) } ?? .all
            return """
                SELECT inbox_id FROM channels
                WHERE app_id = \(app) AND channel_id = ANY(\(channels)) AND device_type & \(types) <> 0\(bound("inbox_id"))
                """
        case .namedUsers(let people): return named(people, bearer)
        case .tags(let tags, let group): return tagged(tags, group, bearer)
        case .all(let parts): return intersection(of: parts, bearer)
        case .any(let parts): return joined(Audience.merged(parts), by: " UNION ", bearer)
        case .not(let part): return intersection(of: [.not(part)], bearer)
        }
    }

    private func named(_ people: [NamedUserID], _ bearer: Bearer) -> SQL {
        switch bearer {
        case .owner:
            """
            SELECT inbox_id FROM named_users
            WHERE app_id = \(app) AND named_user = ANY(\(people))\(bound("inbox_id"))
            """
        case .deviceAndPerson:
            """
            SELECT d.inbox_id
            FROM named_users n
            JOIN inboxes d ON d.app_id = n.app_id AND d.person_id = n.inbox_id
            WHERE n.app_id = \(app) AND n.named_user = ANY(\(people))\(bound("d.inbox_id"))
            """
        }
    }

    private func tagged(_ tags: [String], _ group: String, _ bearer: Bearer) -> SQL {
        let owners: SQL = """
            SELECT inbox_id FROM inbox_tags
            WHERE app_id = \(app) AND tag_group = \(group) AND tag = ANY(\(tags))\(bound("inbox_id"))
            """
        switch bearer {
        case .owner: return owners
        case .deviceAndPerson:
            return """
                \(owners)
                UNION
                SELECT d.inbox_id
                FROM inbox_tags t
                JOIN inboxes d ON d.app_id = t.app_id AND d.person_id = t.inbox_id
                WHERE t.app_id = \(app) AND t.tag_group = \(group) AND t.tag = ANY(\(tags))\(bound("d.inbox_id"))
                """
        }
    }

    func bound(_ column: SQL) -> SQL {
        start.map { " AND " + column + " > \($0)" } ?? ""
    }

    /// What is excluded is taken away from what is not; all channels are walked only if there is nothing else.
    private func intersection(of parts: [Audience], _ bearer: Bearer) -> SQL {
        let excluded = parts.compactMap { part -> Audience? in
            if case .not(let excluded) = part { excluded } else { nil }
        }
        let included = parts.filter { part in
            if case .not = part { false } else { true }
        }
        let all =
            included.isEmpty
            ? inboxes(of: .everyone, by: bearer) : joined(included, by: " INTERSECT ", bearer)
        return excluded.isEmpty ? all : "(\(all)) EXCEPT (\(inboxes(of: .any(excluded), by: bearer)))"
    }

    private func joined(_ parts: [Audience], by word: SQL, _ bearer: Bearer) -> SQL {
        precondition(!parts.isEmpty, "the reader of audiences refuses empty ones")
        return parts.dropFirst().reduce("(\(inboxes(of: parts[0], by: bearer)))") { sum, part in
            sum + word + "(\(inboxes(of: part, by: bearer)))"
        }
    }
}
