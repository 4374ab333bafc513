import InboxModel
import InboxService
import Postgres

extension AudienceQuery {
    /// What holds for an inbox `i` that `target` finds, and for no other; never null.
    ///
    /// Each is judged for itself, so it costs the same however many others match.
    func matches(_ mode: DeliveryMode) -> SQL {
        if mode == .person, audience.isOfPeople { return matchesPeopleOrDevices }
        return isInstalled(where: " AND " + holds(for: .deviceAndPerson))
    }

    /// An inbox `i` whose channel `c` is one of the device types, and more; never null if that is not.
    func isInstalled(where condition: SQL = "") -> SQL {
        """
        EXISTS (
            SELECT FROM channels c
            WHERE c.app_id = \(app) AND c.inbox_id = i.inbox_id
                AND c.uninstalled_at IS NULL AND c.device_type & \(deviceTypes) <> 0\(condition)
            OFFSET 0)
        """
    }

    /// The columns of inboxes whose names and tags count.
    struct Bearers {
        let name: SQL
        let tags: [SQL]

        /// An inbox `i` of a device, and the person who is logged in on it.
        static var deviceAndPerson: Bearers {
            Bearers(name: "i.person_id", tags: ["i.inbox_id", "i.person_id"])
        }

        static func owner(_ inbox: SQL) -> Bearers { Bearers(name: inbox, tags: [inbox]) }
    }

    /// Whether an inbox `i`, and its channel `c` if the audience speaks of channels, match; never null.
    func holds(for bearers: Bearers) -> SQL { condition(audience, bearers) }

    /// Without `OFFSET 0` PostgreSQL may read a whole tag into a hash for each chunk (`simplify_EXISTS_query`).
    private func condition(_ audience: Audience, _ bearers: Bearers) -> SQL {
        switch audience {
        case .everyone: return "true"
        case .channels(let channels, let type):
            let types = type.map { DeviceTypes($0) } ?? .all
            return "(c.channel_id = ANY(\(channels)) AND c.device_type & \(types) <> 0)"
        case .namedUsers(let people):
            return """
                EXISTS (
                    SELECT FROM named_users n
                    WHERE n.app_id = \(app) AND n.inbox_id = \(bearers.name) AND n.named_user = ANY(\(people)) OFFSET 0)
                """
        case .tags(let tags, let group):
            let conditions = bearers.tags.map { isTagged($0, tags, group) }
            return conditions.dropFirst().reduce("(" + conditions[0]) { $0 + " OR " + $1 } + ")"
        case .all(let parts): return joined(parts, by: " AND ", bearers)
        case .any(let parts): return joined(Audience.merged(parts), by: " OR ", bearers)
        case .not(let part): return "NOT " + condition(part, bearers)
        }
    }

    private func isTagged(_ inbox: SQL, _ tags: [String], _ group: String) -> SQL {
        // One tag and its inbox are a whole key, which its index alone can answer.
        let isWanted: SQL = tags.count == 1 ? "t.tag = \(tags[0])" : "t.tag = ANY(\(tags))"
        return """
            EXISTS (
                SELECT FROM inbox_tags t
                WHERE t.app_id = \(app) AND t.tag_group = \(group) AND \(isWanted) AND t.inbox_id = \(inbox) OFFSET 0)
            """
    }

    private func joined(_ parts: [Audience], by word: SQL, _ bearers: Bearers) -> SQL {
        precondition(!parts.isEmpty, "the reader of audiences refuses empty ones")
        return parts.dropFirst().reduce("(" + condition(parts[0], bearers)) { sum, part in
            sum + word + condition(part, bearers)
        } + ")"
    }
}
