/// How devices of a run behave, and what is sent to them: what people do, in chances and mean times.
package struct LoadProfile: Hashable, Sendable, Codable {
    package var name = "custom"
    /// Mean seconds from one use of a device to the next, whether or not the server has answered meanwhile.
    package var useSeconds = 60.0
    /// Share of the devices that keep an event stream open, up to the run's limit.
    package var watching = 0.2
    /// Share of the devices on which somebody is logged in from the start.
    package var loggedIn = 0.6
    /// Chance that a use opens a message: its body, and then it is read.
    package var opens = 0.3
    /// Chance that a use marks some of what is shown.
    package var reads = 0.2
    package var unreads = 0.05
    package var deletes = 0.1
    /// Chance that a use logs in, out, or in as somebody else.
    package var logins = 0.02
    /// Chance that the device is without network after a use, and for how many seconds in the mean.
    package var offline = 0.05
    package var offlineSeconds = 30.0
    /// Chance that a use also asks for the whole list, page by page, or for the count alone.
    package var lists = 0.2
    package var pages = 0.02
    package var counts = 0.1
    /// Messages a minute for each device, over all kinds.
    package var sendsPerDevice = 0.5
    /// Shares of the messages that are for everyone, for a tag and for a person; the rest is for single devices.
    package var toEveryone = 0.01
    package var toTags = 0.05
    package var toPeople = 0.5
    /// Share of the messages that name a person in their extras, for a filter.
    package var naming = 0.2
    /// Shares of the messages that live for seconds only, and that are taken back.
    package var shortLived = 0.1
    package var recalled = 0.05
    /// Seconds between broadcasts after each of which all devices refresh at once; 0 for none.
    package var herdSeconds = 0.0
    /// Whether devices ask for whole lists, unless nothing changed, in place of changes since a cursor.
    package var wholeLists = false
    /// Whether each app of the run gets settings of its own: delivery and filter in all combinations.
    package var combinesSettings = false

    package init() {}

    /// Profiles by their names.
    package static let named: [String: LoadProfile] = Dictionary(
        uniqueKeysWithValues: [commuter, herd, sharedPhone, campaign, idleStream].map { ($0.name, $0) })

    /// People look now and then, and lose the network between.
    package static let commuter = LoadProfile("commuter") { profile in
        profile.offline = 0.15
    }

    /// Everybody comes at once, after each message to everyone.
    package static let herd = LoadProfile("herd") { profile in
        profile.useSeconds = 120
        profile.watching = 0
        profile.offline = 0
        profile.sendsPerDevice = 0.05
        profile.toEveryone = 0
        profile.herdSeconds = 20
    }

    /// Several people take turns on a device, and messages name one of them: nobody may see another's.
    package static let sharedPhone = LoadProfile("shared-phone") { profile in
        profile.useSeconds = 15
        profile.logins = 0.3
        profile.unreads = 0.1
        profile.naming = 0.6
        profile.sendsPerDevice = 2
        profile.combinesSettings = true
    }

    /// A backend sends much, to tags and to everyone, and takes some back.
    package static let campaign = LoadProfile("campaign") { profile in
        profile.watching = 0.5
        profile.toEveryone = 0.02
        profile.toTags = 0.3
        profile.toPeople = 0.3
        profile.recalled = 0.2
        profile.sendsPerDevice = 2
    }

    /// Devices keep a stream open, and seldom ask for anything of themselves.
    package static let idleStream = LoadProfile("idle-stream") { profile in
        profile.useSeconds = 600
        profile.watching = 1
        profile.logins = 0
        profile.offline = 0.01
        profile.sendsPerDevice = 0.1
    }

    /// What devices with a stock library do, which ask for whole lists alone.
    static let stock = LoadProfile("stock") { profile in
        (profile.opens, profile.logins) = (0.25, 0.04)
        (profile.toEveryone, profile.toTags, profile.toPeople) = (0.03, 0.12, 0.4)
    }

    private init(_ name: String, _ change: (inout LoadProfile) -> Void) {
        self.name = name
        change(&self)
    }
}
