package import InboxClient
package import InboxModel
import Platform
package import ReferenceInbox

/// What a simulated world is like before anything happens in it; a seed makes one, and a shrinker takes parts away.
package struct SimulationPlan: Sendable {
    package let seed: UInt64
    package var apps: [ReferenceInbox.Settings] = []
    package var phones: [PhonePlan] = []
    package var faults = NetworkRates.none
    /// How long people and backends act; after that all is to settle.
    package var life: Duration
    /// How likely each kind of deed is.
    var deeds: [PhoneDeed] = []
    var mail: [BackendDeed] = []
    /// Phones of which the user does nothing; the others do as if they did.
    package var idle: Set<Int> = []

    /// A device, before it is switched on.
    package struct PhonePlan: Hashable, Sendable {
        package var app: Int
        package var type: DeviceType
        package var filter = NamedUserFilter.off
        package var asksForChanges = true
        package var usesStream = true
        package var changesPerPage = 500
    }

    /// - Parameter devices: how many; by chance without.
    package init(seed: UInt64, devices: Int? = nil, life: Duration? = nil) {
        self.seed = seed
        var random = SeededRandom.part(0, of: seed)
        let drawn = Duration.seconds(3600 * Int64.random(in: 4...24, using: &random))
        self.life = life ?? drawn
        for _ in 0..<(random.chance(1, outOf: 4) ? 2 : 1) { apps.append(SimulationPlan.app(&random)) }
        let count = Int.random(in: 2...(random.chance(1, outOf: 4) ? 6 : 4), using: &random)
        for _ in 0..<(devices ?? count) { phones.append(phone(&random)) }
        faults = random.chance(1, outOf: 10) ? .none : .swarm(&random)
        deeds = SimulationPlan.swarm(PhoneDeed.allCases, &random) { $0.weight }
        mail = SimulationPlan.swarm(BackendDeed.allCases, &random) { $0.weight }
    }

    private static func app(_ random: inout SeededRandom) -> ReferenceInbox.Settings {
        var app = ReferenceInbox.Settings(
            keepsWithPeople: random.chance(2, outOf: 3), trustsDevices: random.chance(3, outOf: 4))
        app.filters = random.chance(1, outOf: 4)
        app.showsUntargeted = random.chance(1, outOf: 2)
        app.cap = random.element(of: [2, 4, 250, 250, 250, 250]) ?? 250
        return app
    }

    private func phone(_ random: inout SeededRandom) -> PhonePlan {
        var phone = PhonePlan(
            app: Int.random(in: apps.indices, using: &random),
            type: random.element(of: [.ios, .android, .web]) ?? .ios)
        if random.chance(1, outOf: 4) { phone.filter = .on(untargeted: random.chance(1, outOf: 2)) }
        phone.asksForChanges = random.chance(4, outOf: 5)
        phone.usesStream = random.chance(3, outOf: 4)
        phone.changesPerPage = random.element(of: [1, 2, 5, 500, 500]) ?? 500
        return phone
    }

    /// Each kind as often as it is likely: what is rare in most worlds is common in some, and in some never happens.
    private static func swarm<Deed>(
        _ kinds: [Deed], _ random: inout SeededRandom, weight: (Deed) -> Int
    ) -> [Deed] {
        kinds.flatMap { kind in
            Array(repeating: kind, count: weight(kind) * (random.element(of: [0, 1, 1, 2, 4]) ?? 1))
        }
    }
}

/// What the user of a phone does, or what happens to it.
enum PhoneDeed: CaseIterable {
    case open
    case refresh
    case read
    case readAll
    case unread
    case delete
    case logIn
    case logOut
    case switchAndBack
    case loseNetwork
    case restart
    case crash
    case setClock
    case openBody
    case switchOff
    case setFilter
    case hear

    /// How likely it is beside others.
    var weight: Int {
        switch self {
        case .open, .read: 6
        case .delete, .logIn, .refresh, .loseNetwork: 3
        case .readAll, .unread, .logOut, .restart, .openBody, .hear: 2
        case .switchAndBack, .crash, .setClock, .switchOff, .setFilter: 1
        }
    }
}

/// What an app's backend does.
enum BackendDeed: CaseIterable {
    case sendToEveryone
    case sendToDevice
    case sendToPeople
    case sendToTag
    case sendAgain
    case recall
    case associate
    case disassociate
    case erase
    case uninstall

    /// How likely it is beside others.
    var weight: Int {
        switch self {
        case .sendToEveryone, .sendToDevice: 4
        case .sendToPeople: 6
        case .sendToTag, .recall: 2
        case .sendAgain, .associate, .disassociate, .erase, .uninstall: 1
        }
    }
}
