/// Who a message is for, evaluated over channels when it is sent.
package indirect enum Audience: Hashable, Sendable {
    /// Every channel of the device types; never inside another audience.
    case everyone
    /// Channels by id; with a type, only those of that type.
    case channels([ChannelID], type: DeviceType?)
    case namedUsers([NamedUserID])
    /// Channels that carry one of the tags of a group, themselves or through their person.
    case tags([String], group: String)
    case all([Audience])
    case any([Audience])
    case not(Audience)

    /// The group of tags that the device's own SDK sets.
    package static let deviceTagGroup = "device"

    /// Whether it speaks of people alone: by name, or by tags of a group that is not the devices' own.
    ///
    /// *And* may leave some of them out; *not* alone speaks of all others, devices among them.
    package var isOfPeople: Bool {
        switch self {
        case .namedUsers: true
        case .tags(_, let group): group != Audience.deviceTagGroup
        case .any(let parts): parts.allSatisfy(\.isOfPeople)
        case .all(let parts):
            parts.contains(where: \.isOfPeople) && parts.allSatisfy { $0.isOfPeople || $0.leavesPeopleOut }
        case .everyone, .channels, .not: false
        }
    }

    private var leavesPeopleOut: Bool {
        if case .not(let part) = self { part.isOfPeople } else { false }
    }
}
