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

    /// The people, if the audience is made only of named users joined by *or*; nothing otherwise.
    package var people: [NamedUserID]? {
        switch self {
        case .namedUsers(let people): people
        case .any(let parts):
            parts.reduce([]) { found, part in found.flatMap { all in part.people.map { all + $0 } } }
        case .everyone, .channels, .tags, .all, .not: nil
        }
    }
}
