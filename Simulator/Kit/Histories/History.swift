package import InboxModel
package import ReferenceInbox

/// Something that could have happened: a small world, and what its people do one after another.
///
/// A value without ids: they are the server's. Whoever is not there, since a step that made them was left out, makes a
/// step that does nothing, so that any part of a history is a history.
package struct History: Hashable, Sendable {
    package var world: World
    package var steps: [Step]

    package init(world: World, steps: [Step]) {
        self.world = world
        self.steps = steps
    }
}

/// Who there can be.
package struct World: Hashable, Sendable {
    /// An installation, and which tenant's app it is of.
    package struct Device: Hashable, Sendable {
        package var tenant: Int
        package var type: DeviceType

        package init(tenant: Int, type: DeviceType) {
            self.tenant = tenant
            self.type = type
        }
    }

    /// The settings that each app begins with.
    package var tenants: [ReferenceInbox.Settings]
    package var devices: [Device]

    package init(tenants: [ReferenceInbox.Settings], devices: [Device]) {
        self.tenants = tenants
        self.devices = devices
    }

    /// The same in every app, so that tenants could meet.
    static let people = ["ana", "ben", "zo\u{eb}"].map { NamedUserID(stored: $0) }
    static let apps = ["acme", "globex"]
    static let tags = ["red", "blue"]
}

/// A turn of somebody.
package struct Step: Hashable, Sendable {
    /// Time that passes before it.
    package var milliseconds: Int64
    /// Which of the two servers is asked.
    package var server: Int
    package var action: Action

    package init(after milliseconds: Int64 = 0, on server: Int = 0, _ action: Action) {
        self.milliseconds = milliseconds
        self.server = server
        self.action = action
    }
}

/// Who asks for an inbox, by number.
package enum Caller: Hashable, Sendable {
    case device(Int)
    case session(Int)
}

/// Which interface carries a request, where there are two.
package enum Surface: Hashable, Sendable, CaseIterable {
    case device, martlet
}

/// How a device is logged in or out.
package enum Voucher: Hashable, Sendable, CaseIterable {
    case backend
    /// The device's own word.
    case device
}

/// What somebody does; devices, sessions, people, tags and messages are numbers.
package indirect enum Action: Hashable, Sendable {
    case register(Int, tags: Set<Int>)
    case attach(Int, channelOf: Int)
    case uninstall(Int)
    case login(Int, person: Int, by: Voucher)
    case logout(Int, by: Voucher)
    case openSession(Int, tenant: Int, person: Int, seconds: Int64)
    case endSession(Int)
    case erase(tenant: Int, person: Int)
    case tagDevice(Int, Set<Int>, ofPeople: Bool)
    case tagPerson(tenant: Int, person: Int, Set<Int>)
    case change(tenant: Int, ReferenceInbox.Settings)
    case send(Sending)
    /// The same request again, with its idempotency key.
    case sendAgain(Int)
    case recall(Int)
    case mark(Caller, ReferenceInbox.Mark, [Int], through: Surface)
    /// Marks all that the caller saw last.
    case markAll(Caller, ReferenceInbox.Mark)
    /// Time passes.
    case wait
    /// Time passes up to so many milliseconds after a message's expiry, which may be a negative number.
    case waitForExpiry(of: Int, milliseconds: Int64)
    /// The same with the end of a session.
    case waitForEnd(of: Int, milliseconds: Int64)
    case look(Caller, Look)
    /// Both at once, each on its server.
    case together(Step, Step)
}

/// A message to send.
package struct Sending: Hashable, Sendable {
    /// Its name in the history, which no other has.
    package var number: Int
    package var tenant: Int
    package var selection: Selection
    package var types: DeviceTypes
    /// The longest life without.
    package var seconds: Int64?
    /// The person that its extras name.
    package var named: Int?
    package var tag: Int?

    package init(
        number: Int, tenant: Int, to selection: Selection, types: DeviceTypes = .all, seconds: Int64? = nil,
        named: Int? = nil, tag: Int? = nil
    ) {
        self.number = number
        self.tenant = tenant
        self.selection = selection
        self.types = types
        self.seconds = seconds
        self.named = named
        self.tag = tag
    }
}

/// An audience by numbers.
package indirect enum Selection: Hashable, Sendable {
    case everyone
    case devices([Int])
    case people([Int])
    case tag(Int, ofPeople: Bool)
    /// Somebody whom no app has.
    case nobody
    case all([Selection])
    case any([Selection])
    case not(Selection)
}

/// A question about an inbox, of which every answer is known.
package enum Look: Hashable, Sendable {
    /// The list of the device interface.
    case deviceList(isConditional: Bool)
    case list(Narrowing, isConditional: Bool)
    /// The first page, or the one after the last that was read.
    case page(limit: Int, isFirst: Bool)
    /// A page of changes since the caller's cursor, or again since the one before; applied so many times.
    case changes(limit: Int, isRepeated: Bool, times: Int)
    /// Changes since the cursor that a mark or a login was answered with: there are none yet.
    case sinceAnswer
    case count(Narrowing)
    case message(Int)
    case body(Int, through: Surface)
}

/// Which part of an inbox is asked for.
package struct Narrowing: Hashable, Sendable {
    package var onlyUnread = false
    /// Whose `tag` is this.
    package var tag: Int?

    package init(onlyUnread: Bool = false, tag: Int? = nil) {
        self.onlyUnread = onlyUnread
        self.tag = tag
    }

    /// Everything.
    package static let none = Narrowing()
}
