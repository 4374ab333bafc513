import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// A simulated device: the sync core of the client library, a store and a screen in memory, and a user by chance.
struct Phone: Sendable {
    let number: Int
    let plan: SimulationPlan.PhonePlan
    var core: SyncCore
    /// What its store holds.
    var kept = StoredInbox()
    /// What its screen shows.
    var shown = Shown()
    /// Of what its user does, of its network, and of what it draws itself.
    var random: SeededRandom
    var air: SeededRandom
    private var own: SeededRandom

    var isRunning = false
    var isOnline = true
    var isSwitchedOn = true
    var filter: NamedUserFilter
    /// How far its clock is ahead of the true time.
    var clockAhead = Duration.zero
    /// Until when nobody takes its connections.
    var refusedUntil: Instant?

    /// The number of the call whose answer is waited for, and of the last one there was.
    var call: Int?
    var callCount = 0
    var stream: Int?
    var streamCount = 0
    var wakeCount = 0
    /// Refreshes that somebody waits for.
    var refreshing: Set<Int> = []
    var refreshCount = 0
    var memory = PhoneMemory()
    /// Pages that came, for a device that confuses them.
    var pages: [SyncOutcome] = []
    var saveCount = 0

    init(_ number: Int, _ plan: SimulationPlan.PhonePlan, seed: UInt64) {
        self.number = number
        self.plan = plan
        filter = plan.filter
        random = SeededRandom.part(100 + number, of: seed)
        air = SeededRandom.part(200 + number, of: seed)
        own = SeededRandom.part(300 + number, of: seed)
        core = SyncCore(seed: 0)
    }

    /// Starts the app's process: all it knows is what was kept.
    mutating func start() {
        core = SyncCore(kept, options: options, seed: own.next())
        isRunning = true
        shown = Shown()
    }

    /// Ends the process; whoever waited in it waits no more.
    mutating func stop() {
        isRunning = false
        (call, stream, refreshing) = (nil, nil, [])
        wakeCount += 1
    }

    private var options: SyncOptions {
        var options = SyncOptions()
        options.filter = filter
        options.asksForChanges = plan.asksForChanges
        options.usesStream = plan.usesStream
        options.changesPerPage = plan.changesPerPage
        return options
    }

    /// A channel and a password that no other installation has.
    mutating func makeInstallation() -> Installation {
        let bytes = MessageID(high: own.next(), low: own.next()).pushID
        guard let channel = ChannelID(text: bytes) else { preconditionFailure("a push id is a UUID") }
        let secret = MessageID(high: own.next(), low: own.next()).text
        return Installation(channel: channel, secret: secret)
    }

    /// The credential by which the server knows it; nothing before it is registered.
    var user: UserID? {
        kept.installation?.credential.flatMap { UserID(text: Array($0.user.utf8)[...]) }
    }

    /// Both clocks of the device.
    func time(at now: Instant, since start: Instant) -> SyncTime {
        SyncTime(
            wall: now + clockAhead, uptime: .microseconds(now.rawValue - start.rawValue))
    }
}

/// A call that left a device, and what is to be known when it arrives.
struct SentCall: Sendable {
    let number: Int
    let call: SyncCall
    let installation: Installation
    /// Who is logged in, as the device believes.
    let person: NamedUserID?
    /// The numbers of the marks in it.
    let marks: Set<Int64>
    let left: Instant
}

/// What comes back of a call.
enum CallEnd: Sendable {
    case response(Response)
    case failure(String)
}

extension Instant {
    static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(rawValue: instant.rawValue + duration.microseconds)
    }
}
