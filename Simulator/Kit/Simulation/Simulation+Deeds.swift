import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform
import ReferenceInbox

/// What the users of devices do.
extension Simulation {
    var isActing: Bool { age < plan.life }

    mutating func actUser(of phone: Int) {
        guard isActing else { return }
        let deed = phones[phone].random.element(of: plan.deeds) ?? .open
        let pause = pause(after: &phones[phone].random)
        agenda.add(.deed(phone), at: now + pause)
        guard !plan.idle.contains(phone), phones[phone].isRunning else { return }
        chronicle.fold(phone)
        if !phones[phone].isSwitchedOn { return switchOver(phone) }
        perform(deed, on: phone)
        // Nobody looks at a screen for hours.
        if pause > .seconds(300), phones[phone].core.isWatching {
            note(phone, "is put away")
            tell(phone, .watching(false))
        }
    }

    /// Bursts of seconds, minutes between, and many quiet hours.
    func pause(after random: inout SeededRandom) -> Duration {
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<3: .milliseconds(Int64.random(in: 50...20_000, using: &random))
        case 3..<5: .seconds(Int64.random(in: 20...1800, using: &random))
        default: .seconds(Int64.random(in: 1800...18_000, using: &random))
        }
    }

    private mutating func perform(_ deed: PhoneDeed, on phone: Int) {
        switch deed {
        case .open: open(phone)
        case .refresh: refresh(phone)
        case .read: mark(.read, some(of: phone) { $0.isUnread }, on: phone)
        case .readAll: mark(.read, phones[phone].shown.rows, on: phone)
        case .unread: mark(.unread, some(of: phone) { !$0.isUnread }, on: phone)
        case .delete: mark(.delete, some(of: phone) { _ in true }, on: phone)
        case .logIn: logIn(anybody(on: phone), on: phone)
        case .logOut: logIn(nil, on: phone)
        case .switchAndBack:
            let person = phones[phone].core.person
            logIn(anybody(on: phone), on: phone)
            logIn(person, on: phone)
        case .loseNetwork: changeNetwork(of: phone)
        case .restart: restart(phone)
        case .crash: crash(phone)
        case .setClock: setClock(of: phone)
        case .openBody: openBody(on: phone)
        case .switchOff: switchOver(phone)
        case .setFilter: setFilter(of: phone)
        case .hear:
            note(phone, "hears of a push")
            tell(phone, .hint)
        }
    }

    private mutating func open(_ phone: Int) {
        let isWatching = phones[phone].core.isWatching
        note(phone, isWatching ? "is put away" : "is looked at")
        tell(phone, .watching(!isWatching))
    }

    mutating func refresh(_ phone: Int) {
        guard phones[phone].isRunning else { return }
        phones[phone].refreshCount += 1
        phones[phone].refreshing.insert(phones[phone].refreshCount)
        note(phone, "refreshes")
        tell(phone, .refresh(RefreshID(phones[phone].refreshCount)))
    }

    // MARK: Marks

    private mutating func some(of phone: Int, _ isFit: (MessageRow) -> Bool) -> [MessageRow] {
        let rows = phones[phone].shown.rows.filter(isFit).shuffled(using: &phones[phone].random)
        return Array(rows.prefix(Int.random(in: 1...3, using: &phones[phone].random)))
    }

    /// Marks what is on the screen: it shows so at once, and is kept until the server was told.
    private mutating func mark(_ mark: MessageMark, _ rows: [MessageRow], on phone: Int) {
        guard !rows.isEmpty else { return }
        let app = phones[phone].plan.app
        note(phone) { world in "marks \(rows.map { world.apps[app].name($0.id) }) \(mark.rawValue)" }
        if flaw == .ignoresMarks, phones[phone].call != nil { return judgeMarked(mark, rows, on: phone) }
        if mark == .unread { apps[app].markedUnread.formUnion(rows.map(\.id)) }
        tell(phone, .mark(mark, rows.map(\.id)))
        judgeMarked(mark, rows, on: phone)
    }

    // MARK: Logins

    private mutating func anybody(on phone: Int) -> NamedUserID {
        if phones[phone].random.chance(1, outOf: 20) { return NamedUserID(stored: " ") }
        let count = 1 + Int(plan.seed % 3)
        return World.people[Int.random(in: 0..<count, using: &phones[phone].random)]
    }

    private mutating func logIn(_ person: NamedUserID?, on phone: Int) {
        let app = phones[phone].plan.app
        // An app tells its backend of a channel when it is registered.
        let channel = phones[phone].user == nil ? nil : phones[phone].kept.installation?.channel
        let isSaid = phones[phone].random.chance(2, outOf: 3)
        // Where a device's word does not suffice, its app lets the backend say so first.
        if let channel, let person, isSaid, !plan.apps[app].trustsDevices, !person.text.hasPrefix(" ") {
            note(phone, "is associated with \(person.text)")
            answerBackend(apps[app].calls.associate(channel, with: person))
        }
        note(phone, "logs in \(person?.text ?? "nobody")")
        phones[phone].memory.logIn(person)
        tell(phone, .logIn(Login(person)))
        // In some worlds whoever logs in looks: a stream is opened while the login is under way.
        if plan.seed % 5 == 2 { tell(phone, .watching(true)) }
    }

    // MARK: What happens to it

    private mutating func changeNetwork(of phone: Int) {
        phones[phone].isOnline.toggle()
        note(phone) { $0.phones[phone].isOnline ? "is online" : "is offline" }
        guard !phones[phone].isOnline else { return tell(phone, .reachable) }
        streams.removeAll { $0.phone == phone }
        if let stream = phones[phone].stream {
            agenda.add(.news(phone, stream: stream, .lost(retryAfter: nil)), at: now + .milliseconds(5))
        }
    }

    private mutating func restart(_ phone: Int) {
        note(phone, "is killed")
        stop(phone)
        let seconds = Int64.random(in: 2...600, using: &phones[phone].random)
        agenda.add(.start(phone), at: now + .seconds(seconds))
    }

    /// It is killed while something is done, before that was kept: then nobody was told that it was.
    private mutating func crash(_ phone: Int) {
        let rows = some(of: phone) { _ in true }
        var lost = phones[phone].core
        _ = lost.handle(.mark(.delete, rows.map(\.id)), at: time(of: phone))
        restart(phone)
    }

    private mutating func setClock(of phone: Int) {
        let steps: [Int64] = [-86_400, -3600, -60, -5, 1, 5, 60, 3600, 86_400]
        let seconds = phones[phone].random.element(of: steps) ?? 0
        let isBack = phones[phone].clockAhead != .zero && phones[phone].random.chance(1, outOf: 2)
        let ahead: Duration = isBack ? .zero : .seconds(seconds)
        let step = ahead - phones[phone].clockAhead
        phones[phone].memory.clockError += step < .zero ? .zero - step : step
        phones[phone].clockAhead = ahead
        note(phone, "has its clock set \(ahead) ahead")
        tell(phone, .woken)
    }

    mutating func switchOver(_ phone: Int) {
        phones[phone].isSwitchedOn.toggle()
        note(phone) { $0.phones[phone].isSwitchedOn ? "is switched on" : "is switched off" }
        tell(phone, .enabled(phones[phone].isSwitchedOn))
    }

    private mutating func setFilter(of phone: Int) {
        let filters: [NamedUserFilter] = [.off, .on(untargeted: false), .on(untargeted: true)]
        let filter = phones[phone].random.element(of: filters) ?? .off
        phones[phone].filter = filter
        note(phone, "filters \(filter)")
        tell(phone, .filtered(filter))
    }

    /// A body is there exactly as long as the view has the message.
    private mutating func openBody(on phone: Int) {
        guard phones[phone].isOnline, let user = phones[phone].user,
            let credential = phones[phone].kept.installation?.credential,
            let row = phones[phone].random.element(of: phones[phone].shown.rows)
        else { return }
        let app = phones[phone].plan.app
        let response = answer(apps[app].wire(of: phones[phone]).body(of: row.content, for: credential))
        let name = apps[app].name(row.id)
        note(phone, "opens \(name): \(response.status)")
        let isHeld = truth.view(of: user).contains { $0.message == row.id }
        let text = String(decoding: response.body, as: UTF8.self)
        let isRight = isHeld ? response.status == 200 && text == "<p>\(name)</p>" : response.status != 200
        if !isRight {
            complain(phone, "the body of \(name)", isHeld ? "its text" : "404", "\(response.status) \(text)")
        }
    }
}
