import InboxModel
import Platform
import ReferenceInbox

extension History {
    /// A history by chance: the same seed and features give the same one.
    package static func random(seed: UInt64, features: StageFeatures) -> History {
        var writer = HistoryWriter(seed: seed, features: features)
        return writer.write()
    }
}

/// Makes up a history, and keeps in mind what it made happen, so that most steps mean something.
struct HistoryWriter {
    var random: SeededRandom
    let features: StageFeatures
    private(set) var world: World
    var steps: [Step] = []
    private(set) var registered: [Int] = []
    /// Sessions by number, with their tenant.
    private(set) var sessions: [Int] = []
    private(set) var sends: [Sending] = []
    /// How likely each kind of step is, drawn for the history: what is rare in most is common in some.
    let weights: [Weight]

    init(seed: UInt64, features: StageFeatures) {
        var random = SeededRandom(seed: seed)
        world = World.random(&random, features)
        weights = Weight.random(&random, features)
        self.random = random
        self.features = features
    }

    mutating func write() -> History {
        let count = Int.random(in: 8...22, using: &random)
        for device in world.devices.indices where device < 2 || random.chance(1, outOf: 2) {
            register(device)
        }
        for _ in 0..<count {
            let before = steps.count
            let kind = weights.random(&random)
            write(kind)
            if steps.count > before { look() }
        }
        for caller in callers { finish(caller) }
        return History(world: world, steps: steps)
    }

    // MARK: What the steps need

    /// Everyone who can ask for an inbox.
    var callers: [Caller] { registered.map { .device($0) } + sessions.map { .session($0) } }

    /// Adds a step of somebody who does something.
    ///
    /// The clock tells deeds apart, but at times not two sends.
    mutating func add(_ action: Action, isSend: Bool = false) {
        let pause: Int64 = isSend && random.chance(1, outOf: 3) ? 0 : random.chance(1, outOf: 8) ? 1500 : 1
        steps.append(Step(after: pause, on: server(), action))
    }

    mutating func addLook(_ action: Action) { steps.append(Step(on: server(), action)) }

    mutating func server() -> Int { Int.random(in: 0...1, using: &random) }

    mutating func person() -> Int { Int.random(in: 0..<(random.chance(1, outOf: 8) ? 3 : 2), using: &random) }

    mutating func tags() -> Set<Int> { Set((0..<2).filter { _ in random.chance(1, outOf: 2) }) }

    mutating func register(_ device: Int) {
        registered.append(device)
        add(.register(device, tags: tags()))
    }

    mutating func openSession() {
        let number = sessions.count
        sessions.append(number)
        let seconds: Int64 = random.chance(1, outOf: 3) ? 60 : 3600
        add(.openSession(number, tenant: tenant(), person: person(), seconds: seconds))
    }

    mutating func tenant() -> Int { Int.random(in: world.tenants.indices, using: &random) }

    /// Draws a new message.
    mutating func compose(_ tenant: Int) -> Sending {
        var sending = Sending(number: sends.count + 1, tenant: tenant, to: selection(tenant))
        if random.chance(1, outOf: 3) { sending.seconds = Int64.random(in: 1...4, using: &random) }
        if random.chance(1, outOf: features.contains(.filter) ? 2 : 8) { sending.named = person() }
        if random.chance(1, outOf: 2) { sending.tag = Int.random(in: 0..<2, using: &random) }
        if random.chance(1, outOf: 8) {
            sending.types = DeviceTypes(random.chance(1, outOf: 2) ? .ios : .android)
        }
        sends.append(sending)
        return sending
    }

    private mutating func selection(_ tenant: Int) -> Selection {
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<3: .everyone
        case 3..<6: .devices(someDevices(of: tenant))
        case 6..<9: .people(random.chance(1, outOf: 3) ? [0, 1] : [person()])
        case 9..<11: tag()
        case 11: .any([part(tenant), part(tenant)])
        case 12: .any([part(tenant), .all([part(tenant), .not(part(tenant))])])
        default: .all([part(tenant), random.chance(1, outOf: 2) ? .not(part(tenant)) : part(tenant)])
        }
    }

    private mutating func part(_ tenant: Int) -> Selection {
        switch Int.random(in: 0..<7, using: &random) {
        case 0..<2: .devices(someDevices(of: tenant))
        case 2..<4: .people([person()])
        case 4..<6: tag()
        default: .nobody
        }
    }

    private mutating func tag() -> Selection {
        .tag(Int.random(in: 0..<2, using: &random), ofPeople: random.chance(2, outOf: 3))
    }

    /// Mostly the tenant's own; another's id must mean nobody.
    private mutating func someDevices(of tenant: Int) -> [Int] {
        let own = registered.filter { world.devices[$0].tenant == tenant || random.chance(1, outOf: 12) }
        let some = own.filter { _ in random.chance(2, outOf: 3) }
        return some.isEmpty ? Array(own.prefix(1)) : some
    }
}

extension World {
    fileprivate static func random(_ random: inout SeededRandom, _ features: StageFeatures) -> World {
        let tenants = (0..<(random.chance(1, outOf: 3) ? 2 : 1)).map { _ in
            var settings = ReferenceInbox.Settings(
                keepsWithPeople: random.chance(2, outOf: 3), trustsDevices: random.chance(2, outOf: 3))
            settings.cap = random.chance(1, outOf: 3) ? 250 : Int.random(in: 1...4, using: &random)
            settings.filters = features.contains(.filter) && random.chance(1, outOf: 3)
            settings.showsUntargeted = settings.filters && random.chance(1, outOf: 2)
            return settings
        }
        let devices = (0..<Int.random(in: 2...4, using: &random)).map { number in
            Device(
                tenant: number < 2 ? 0 : Int.random(in: tenants.indices, using: &random),
                type: random.chance(2, outOf: 3) ? .ios : .android)
        }
        return World(tenants: tenants, devices: devices)
    }
}
