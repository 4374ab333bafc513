import InboxModel
import Platform
import ReferenceInbox

/// A kind of step, and how likely it is.
struct Weight: Sendable {
    enum Kind: CaseIterable {
        case send, sendAgain, recall, mark, markAll, login, logout, register, attach, uninstall, openSession,
            endSession
        case erase, tagDevice, tagPerson, change, wait, expire, end, together
    }

    let kind: Kind
    let weight: Int

    /// The weights of a history: each usual one is now and then nothing, or more than all others.
    static func random(_ random: inout SeededRandom, _ features: StageFeatures) -> [Weight] {
        Kind.allCases.compactMap { kind in
            guard kind.needs.isSubset(of: features) else { return nil }
            let factor = random.chance(1, outOf: 5) ? 0 : random.chance(1, outOf: 5) ? 4 : 1
            return Weight(kind: kind, weight: kind == .send ? kind.usual : kind.usual * factor)
        }
    }
}

extension Weight.Kind {
    fileprivate var usual: Int {
        switch self {
        case .send: 24
        case .mark: 16
        case .login: 10
        case .wait, .expire, .logout, .markAll, .together: 5
        case .tagDevice, .tagPerson: 4
        case .recall, .attach, .openSession: 3
        case .sendAgain, .register, .change: 2
        case .uninstall, .endSession, .erase, .end: 1
        }
    }

    fileprivate var needs: StageFeatures {
        switch self {
        case .sendAgain: .keys
        case .markAll: .changes
        case .uninstall: .channels
        case .openSession, .endSession, .end: .sessions
        case .erase: .erasure
        case .change: .settings
        case .send, .recall, .mark, .login, .logout, .register, .attach, .tagDevice, .tagPerson, .wait,
            .expire,
            .together:
            []
        }
    }
}

extension [Weight] {
    /// One of the kinds, by their weights.
    func random(_ random: inout SeededRandom) -> Weight.Kind {
        var place = Int.random(in: 0..<reduce(0) { $0 + $1.weight }, using: &random)
        for weight in self {
            place -= weight.weight
            if place < 0 { return weight.kind }
        }
        preconditionFailure("the place is within the sum")
    }
}

extension HistoryWriter {
    /// Writes a step of a kind, if there is anybody for it.
    mutating func write(_ kind: Weight.Kind) {
        switch kind {
        case .send: add(.send(compose(tenant())), isSend: true)
        case .wait:
            steps.append(Step(after: Int64.random(in: 1...2500, using: &random), .wait))
        case .expire:
            guard let sending = random.element(of: sends.filter { $0.seconds != nil }) else { return }
            add(.waitForExpiry(of: sending.number, milliseconds: random.chance(1, outOf: 2) ? 0 : -1))
        case .end:
            guard let session = random.element(of: sessions) else { return }
            add(.waitForEnd(of: session, milliseconds: random.chance(1, outOf: 2) ? 0 : -1))
        case .openSession: openSession()
        case .register:
            guard let device = world.devices.indices.first(where: { !registered.contains($0) }) else {
                return
            }
            register(device)
        case .together: together()
        case .recall, .sendAgain, .erase, .tagPerson, .change:
            if let action = backendAction(kind) { add(action) }
        case .mark, .markAll, .login, .logout, .attach, .uninstall, .endSession, .tagDevice:
            if let action = callerAction(kind) { add(action) }
        }
    }

    private mutating func backendAction(_ kind: Weight.Kind) -> Action? {
        switch kind {
        case .recall: random.element(of: sends.suffix(6)).map { .recall($0.number) }
        case .sendAgain: random.element(of: sends.suffix(3)).map { .sendAgain($0.number) }
        case .erase: .erase(tenant: tenant(), person: person())
        case .tagPerson: .tagPerson(tenant: tenant(), person: person(), tags())
        default: change(of: tenant())
        }
    }

    private mutating func callerAction(_ kind: Weight.Kind) -> Action? {
        guard let device = random.element(of: registered) else { return nil }
        switch kind {
        case .mark: return mark(random.element(of: callers) ?? .device(device))
        case .markAll:
            let mark = random.element(of: ReferenceInbox.Mark.allCases) ?? .read
            return .markAll(random.element(of: callers) ?? .device(device), mark)
        case .login: return .login(device, person: person(), by: voucher())
        case .logout: return .logout(device, by: voucher())
        case .attach: return random.element(of: registered).map { .attach(device, channelOf: $0) }
        case .uninstall: return .uninstall(device)
        case .endSession: return random.element(of: sessions).map { .endSession($0) }
        default: return .tagDevice(device, tags(), ofPeople: random.chance(1, outOf: 3))
        }
    }

    private mutating func voucher() -> Voucher {
        features.contains(.logins) && random.chance(1, outOf: 2) ? .device : .backend
    }

    /// Marks a few of the messages there are, of whoever they are.
    private mutating func mark(_ caller: Caller) -> Action? {
        let numbers = sends.suffix(8).map(\.number).filter { _ in random.chance(2, outOf: 5) }
        guard !numbers.isEmpty else { return nil }
        var isDevice = !features.contains(.inbox) || random.chance(1, outOf: 2)
        if case .session = caller { isDevice = false }
        let marks: [ReferenceInbox.Mark] = isDevice ? [.read, .delete] : [.read, .unread, .delete]
        guard isDevice || features.contains(.inbox), let mark = random.element(of: marks) else { return nil }
        return .mark(caller, mark, numbers, through: isDevice ? .device : .martlet)
    }

    private mutating func change(of tenant: Int) -> Action {
        var settings = world.tenants[tenant]
        if random.chance(1, outOf: 2) { settings.keepsWithPeople.toggle() }
        if random.chance(1, outOf: 4) { settings.trustsDevices.toggle() }
        if features.contains(.filter), random.chance(1, outOf: 2) { settings.filters.toggle() }
        if random.chance(1, outOf: 2) { settings.cap = Int.random(in: 1...5, using: &random) }
        return .change(tenant: tenant, settings)
    }

    /// Two deeds, or a deed and a look, of one tenant at the same time.
    private mutating func together() {
        let kinds: [Weight.Kind] = [.mark, .mark, .login, .logout, .attach, .recall, .send, .send]
        let actions = (0..<2).compactMap { _ -> Action? in
            guard let kind = random.element(of: kinds) else { return nil }
            if kind == .send { return .send(compose(tenant())) }
            return kind == .recall ? backendAction(kind) : callerAction(kind)
        }
        guard var other = actions.last, let one = actions.first else { return }
        if actions.count < 2 || random.chance(1, outOf: 2), let look = randomLook() { other = look }
        steps.append(Step(after: 1, .together(Step(on: 0, one), Step(on: 1, other))))
    }
}

/// Questions between the deeds.
extension HistoryWriter {
    /// Some of those who can look do.
    mutating func look() {
        for _ in 0..<2 { if let look = randomLook() { addLook(look) } }
    }

    private mutating func randomLook() -> Action? {
        guard let caller = random.element(of: callers) else { return nil }
        return look(of: caller).map { .look(caller, $0) }
    }

    private mutating func look(of caller: Caller) -> Look? {
        var isDevice = !features.contains(.inbox) || random.chance(1, outOf: 4)
        if case .session = caller { isDevice = false }
        let number = random.element(of: sends.suffix(8))?.number
        if isDevice {
            guard random.chance(1, outOf: 6), let number else {
                return .deviceList(isConditional: random.chance(3, outOf: 4))
            }
            return .body(number, through: .device)
        }
        guard features.contains(.inbox) else { return nil }
        if features.contains(.changes), random.chance(1, outOf: 2) { return changes() }
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3:
            return .list(
                random.chance(2, outOf: 3) ? .none : narrowing(), isConditional: random.chance(3, outOf: 4))
        case 3..<5:
            return .page(limit: Int.random(in: 1...3, using: &random), isFirst: random.chance(1, outOf: 2))
        case 5: return .count(narrowing())
        case 6: return number.map { .message($0) }
        default: return number.map { .body($0, through: .martlet) }
        }
    }

    private mutating func changes() -> Look {
        if random.chance(1, outOf: 5) { return .sinceAnswer }
        let limit = random.chance(1, outOf: 2) ? 500 : Int.random(in: 1...3, using: &random)
        return .changes(
            limit: limit, isRepeated: random.chance(1, outOf: 5), times: random.chance(1, outOf: 4) ? 2 : 1)
    }

    private mutating func narrowing() -> Narrowing {
        Narrowing(
            onlyUnread: random.chance(1, outOf: 2),
            tag: random.chance(1, outOf: 2) ? Int.random(in: 0..<2, using: &random) : nil)
    }

    /// At the end everyone is asked for everything, and once more when nothing has happened.
    mutating func finish(_ caller: Caller) {
        if case .device = caller {
            for _ in 0..<2 { addLook(.look(caller, .deviceList(isConditional: true))) }
        }
        if features.contains(.inbox) {
            for _ in 0..<2 { addLook(.look(caller, .list(.none, isConditional: true))) }
        }
        if features.contains(.changes) {
            for _ in 0..<2 { addLook(.look(caller, .changes(limit: 500, isRepeated: false, times: 1))) }
        }
    }
}
