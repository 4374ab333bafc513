import InboxModel
import InboxService
import Postgres

extension AudienceQuery {
    /// What holds for an inbox `i` that `target` finds: each is judged for itself, so it costs the same however many
    /// others match. Never null.
    func matches(_ mode: DeliveryMode) -> SQL {
        if mode == .person, let people = audience.people {
            return """
                EXISTS (
                    SELECT FROM named_users n
                    WHERE n.app_id = \(app) AND n.inbox_id = i.inbox_id AND n.named_user = ANY(\(people)) OFFSET 0)
                """
        }
        return """
            EXISTS (
                SELECT FROM channels c
                WHERE c.app_id = \(app) AND c.inbox_id = i.inbox_id
                    AND c.uninstalled_at IS NULL AND c.device_type & \(deviceTypes) <> 0 AND \(condition(audience))
                OFFSET 0)
            """
    }

    /// What holds for an inbox `i` and its channel `c` that match; never null.
    ///
    /// Without `OFFSET 0` PostgreSQL may read a whole tag into a hash for each chunk (`simplify_EXISTS_query`).
    private func condition(_ audience: Audience) -> SQL {
        switch audience {
        case .everyone: return "true"
        case .channels(let channels, let type):
            let types = type.map { DeviceTypes($0) } ?? .all
            return "(c.channel_id = ANY(\(channels)) AND c.device_type & \(types) <> 0)"
        case .namedUsers(let people):
            return """
                EXISTS (
                    SELECT FROM named_users n
                    WHERE n.app_id = \(app) AND n.inbox_id = i.person_id AND n.named_user = ANY(\(people)) OFFSET 0)
                """
        case .tags(let tags, let group):
            return "(\(isTagged("i.inbox_id", tags, group)) OR \(isTagged("i.person_id", tags, group)))"
        case .all(let parts): return joined(parts, by: " AND ")
        case .any(let parts): return joined(Audience.merged(parts), by: " OR ")
        case .not(let part): return "NOT " + condition(part)
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

    private func joined(_ parts: [Audience], by word: SQL) -> SQL {
        precondition(!parts.isEmpty, "the reader of audiences refuses empty ones")
        return parts.dropFirst().reduce("(" + condition(parts[0])) { $0 + word + condition($1) } + ")"
    }
}
