import InboxModel
import InboxService
import InboxWire

extension JSONWriter {
    /// A channel as backends read it; a person's tags are not among its own.
    mutating func value(_ channel: ChannelRecord) {
        object { body in
            body.member("channel_id", channel.channel.text)
            body.member("device_type", channel.deviceType.text)
            body.member("installed", channel.isInstalled)
            body.member("opt_in", channel.isOptedIn)
            body.member("background", channel.hasBackground)
            body.member("push_address", orNull: channel.pushAddress)
            body.member("created", channel.created.secondsText)
            body.member("last_registration", channel.lastRegistration.secondsText)
            if let person = channel.namedUser { body.member("named_user_id", person.text) }
            body.member("alias", orNull: nil)
            body.member("tags", channel.tags[Audience.deviceTagGroup] ?? [])
            body.member("tag_groups", channel.tags.filter { $0.key != Audience.deviceTagGroup })
            body.object("attributes") { _ in }
            body.object("device_attributes") { _ in }
        }
    }

    /// A person as backends read it; clients insist on all of these members.
    mutating func value(_ person: NamedUserRecord) {
        object { body in
            body.member("named_user_id", person.namedUser.text)
            body.member("created", person.created.secondsText)
            body.member("last_modified", person.lastModified.secondsText)
            body.member("tags", person.tags)
            body.object("attributes") { _ in }
            body.object("user_attributes") { _ in }
            body.array("subscription_lists") { _ in }
            body.array("channels") { list in for channel in person.channels { list.value(channel) } }
        }
    }

    /// Tags by group, in the order of the groups' bytes.
    mutating func member(_ name: String, _ groups: [String: [String]]) {
        object(name) { body in
            for (group, tags) in groups.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                body.member(group, tags)
            }
        }
    }
}
