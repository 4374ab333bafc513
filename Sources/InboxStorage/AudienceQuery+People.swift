import InboxModel
import InboxService
import Postgres

/// Where the mode is `person`, an audience of people is met by their own names and tags, whatever devices they are on.
///
/// Devices get it beside them: by tags of their own, or by these and their person's together. An inbox is a person's or
/// a device's, so nothing is found twice.
extension AudienceQuery {
    /// A query of `inbox_id` and `person_id`, which people's inboxes do not have.
    var peopleAndDevices: SQL {
        let people: SQL = "SELECT p.inbox_id, NULL::bigint AS person_id FROM (\(people)) p"
        if !audience.namesTags { return people }
        let devices = audience.isPlain ? devices(where: isMatchingChannel(by: .owner)) : devicesBesidePeople
        return reachesPeople ? people + " UNION ALL " + devices : devices
    }

    /// The same inboxes, as `inbox_id` alone.
    var peopleAndDeviceInboxes: SQL {
        if !audience.namesTags { return people }
        let devices: SQL =
            audience.isPlain
            ? "SELECT c.inbox_id FROM channels c WHERE \(isMatchingChannel(by: .owner))"
            : "SELECT d.inbox_id FROM (\(devicesBesidePeople)) d"
        return reachesPeople ? people + " UNION ALL " + devices : devices
    }

    /// A query of `inbox_id` of people alone.
    ///
    /// - Complexity: the rows that the selectors find, and for tags a look for the person of each.
    var people: SQL {
        let owners = inboxes(of: audience, by: .owner)
        // Only people have names.
        if !audience.namesTags { return owners }
        return """
            SELECT n.inbox_id FROM named_users n
            WHERE n.app_id = \(app) AND n.inbox_id IN (\(owners))\(bound("n.inbox_id"))
            """
    }

    private var devicesBesidePeople: SQL {
        devices(where: isMatchingChannel(by: .deviceAndPerson) + " AND " + isBesidePerson)
    }

    /// What holds for an inbox `i` that `peopleAndDevices` finds; never null.
    var matchesPeopleOrDevices: SQL {
        let isOwner = holds(for: .owner("i.inbox_id"))
        if !audience.namesTags { return isOwner }
        if audience.isPlain {
            let isEither = reachesPeople ? isInstalled() + " OR " + isPerson : isInstalled()
            return "(\(isOwner) AND (\(isEither)))"
        }
        let isDevice = isInstalled(where: " AND \(holds(for: .deviceAndPerson)) AND \(isBesidePerson)")
        return reachesPeople ? "(\(isDevice) OR \(isOwner) AND \(isPerson))" : isDevice
    }

    /// A device that is meant by itself, or whose person is not: this one has the message already.
    private var isBesidePerson: SQL {
        "(\(holds(for: .owner("i.inbox_id"))) OR NOT \(holds(for: .owner("i.person_id"))))"
    }

    private var isPerson: SQL {
        """
        EXISTS (SELECT FROM named_users n WHERE n.app_id = \(app) AND n.inbox_id = i.inbox_id OFFSET 0)
        """
    }
}
