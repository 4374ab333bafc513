package import InboxModel
package import Platform

/// The rules of the product, said once more: one app over dictionaries, obviously right and never fast.
///
/// It does no I/O and knows the time that it is told. What only a server can choose, such as ids and when a message was
/// sent, it takes from the server's answer. Tenants cannot meet, because each has a model of its own.
package struct ReferenceInbox: Sendable, Equatable {
    package var settings: Settings
    /// The database's time: all decisions about time use it.
    package var now: Instant

    var messages: [MessageID: SentMessage] = [:]
    /// How many messages to everyone there ever were: the app's baseline for whoever is made now.
    var broadcastCount = 0
    /// The newest broadcast beyond the cap: it and all behind it in list order are gone.
    var floor: Position?
    var channels: [ChannelID: Channel] = [:]
    var people: [NamedUserID: Person] = [:]
    var users: [UserID: Seat] = [:]
    /// By their numbers; devices' and people's alike.
    var inboxes: [Int: Inbox] = [:]
    private var inboxCount = 0

    /// An app without anybody.
    package init(_ settings: Settings, now: Instant) {
        self.settings = settings
        self.now = now
    }

    /// What can be chosen for an app.
    package struct Settings: Hashable, Sendable {
        /// Sends to people are kept once, with the people; else with the devices that they are on then.
        package var keepsWithPeople: Bool
        /// A device's word suffices for who is logged in.
        package var trustsDevices: Bool
        /// The server hides what names another person in its extras.
        package var filters = false
        /// With the filter, what names nobody is shown to whoever is logged in.
        package var showsUntargeted = false
        /// Newest deliveries that an inbox keeps, and newest broadcasts that the app keeps.
        package var cap = 250
        /// Deliveries up to which a recall buries each; above, it is one row of the app's log.
        package var mostTombstones = 1000

        package init(keepsWithPeople: Bool, trustsDevices: Bool) {
            self.keepsWithPeople = keepsWithPeople
            self.trustsDevices = trustsDevices
        }
    }

    /// A message in a view.
    package struct Listed: Hashable, Sendable {
        package var message: MessageID
        package var isUnread: Bool
        package var place: Place
        package var sent: Instant
        package var expires: Instant
    }

    /// Where a view has a message from; of two inboxes that hold it the person's counts.
    package enum Place: String, Sendable {
        case device
        case person
        case app
    }

    /// List order: sent descending in milliseconds, then the id as ASCII text ascending.
    struct Position: Hashable, Sendable, Comparable {
        let sentMilliseconds: Int64
        let id: String

        static func < (one: Position, other: Position) -> Bool {
            if one.sentMilliseconds != other.sentMilliseconds {
                return one.sentMilliseconds > other.sentMilliseconds
            }
            return one.id < other.id
        }
    }

    struct SentMessage: Hashable, Sendable {
        var position: Position
        var sent: Instant
        var expires: Instant
        var types: DeviceTypes
        var extra: [String: String]
        /// Of a message to everyone: which one it was, from 1.
        var broadcastNumber: Int?
        var isRecalled = false
    }

    struct Inbox: Hashable, Sendable {
        var rows: [MessageID: Row] = [:]
        /// Broadcasts that were before it came to be.
        var baseline: Int
        /// The newest delivery that fell out by the cap: it and all behind it are gone.
        var floor: Position?
        /// How often deliveries were moved in or out.
        var moves = 0
    }

    /// A delivery, or a reader's mark of a broadcast.
    struct Row: Hashable, Sendable {
        var isUnread = true
        var isDeleted = false
        var markedAt: Instant?
    }

    struct Channel: Hashable, Sendable {
        var type: DeviceType
        var tags: [String: Set<String>]
        var inbox: Int
        var person: NamedUserID?
        var isInstalled = true
    }

    struct Person: Hashable, Sendable {
        var tags: [String: Set<String>] = [:]
        var inbox: Int
    }

    /// What a credential opens: a device's inbox, or for a while a person's.
    enum Seat: Hashable, Sendable {
        case device(inbox: Int)
        case session(NamedUserID, until: Instant)
    }

    mutating func makeInbox() -> Int {
        inboxCount += 1
        inboxes[inboxCount] = Inbox(baseline: broadcastCount)
        return inboxCount
    }

    /// Changes an inbox, which exists.
    mutating func change<Result>(_ inbox: Int, _ body: (inout Inbox) -> Result) -> Result {
        guard var changed = inboxes[inbox] else {
            preconditionFailure("inboxes are forgotten with their owners")
        }
        defer { inboxes[inbox] = changed }
        return body(&changed)
    }
}
