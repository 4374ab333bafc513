package import InboxModel

/// What every inbox of a run must, may and must not hold: a plain value, written apart from the server that it judges.
///
/// Each request is told twice, when it starts (`will…`) and when it was answered (`did…`). In between, and for good
/// if no answer came, its effect is possible; afterwards it is certain. Two facts about the devices keep it simple:
/// a device has one request under way at a time, and repeats a change of its login until it is answered.
package struct Ledger: Sendable {
    package let delivery: Delivery
    let limits: LedgerLimits
    /// What the server hides by the person whom a message names.
    package var filter = LedgerFilter.off
    package internal(set) var messages: [SentMessage] = []
    var devices: [DeviceRecord]
    var people: [PersonRecord]
    /// Messages to everyone, by number.
    var broadcasts: [Int] = []
    /// Messages that may yet be stored: whoever becomes part of their audience meanwhile may get them.
    var open: Set<Int> = []
    /// Marks of what was ever marked unread, by which the last one counts.
    var toggles: [ToggleKey: ToggleLine] = [:]
    /// Reads that were begun and not answered, of what was never marked unread.
    var openReads: [ToggleKey: Int] = [:]
    private var clock: UInt32 = 0
    var serverClock = ServerClock()
    /// Scratch of `check`: in which check a message was last listed, so that none allocates.
    var sighted: [UInt32] = []
    var checks: UInt32 = 0

    /// - Parameter tags: the tag of each device.
    package init(delivery: Delivery, tags: [Int], people: Int, limits: LedgerLimits = LedgerLimits()) {
        self.delivery = delivery
        self.limits = limits
        devices = tags.map { DeviceRecord(tag: $0) }
        self.people = Array(repeating: PersonRecord(), count: people)
    }

    /// The next place in the order of events.
    package mutating func moment(at milliseconds: Int64) -> Moment {
        clock += 1
        return Moment(stamp: Stamp(clock), milliseconds: milliseconds, clock: serverClock)
    }

    // MARK: What is done to the server

    /// The server's clock is about to be set forward.
    package mutating func willStepClock(byMilliseconds step: Int64) { serverClock.most += step }

    /// The server's clock has been set forward.
    package mutating func didStepClock(byMilliseconds step: Int64) { serverClock.least += step }

    /// The server is again as it was when `earlier` was all that was known of it, with nothing under way.
    ///
    /// What was sent since never was; its numbers are not given again.
    package mutating func returnTo(_ earlier: Ledger) {
        let (stamps, time, count) = (clock, serverClock, messages.count)
        self = earlier
        (clock, serverClock) = (stamps, time)
        let now = Moment(stamp: Stamp(clock), milliseconds: 0, clock: time)
        while messages.count < count {
            // To nobody of the run: whoever shows it shows what is for others.
            messages.append(SentMessage(target: .device(-1), lifeSeconds: nil, place: 0, at: now))
            sighted.append(0)
        }
    }

    // MARK: Devices

    /// A device asks for its channel.
    package mutating func willRegister(_ device: Int, at moment: Moment) {
        devices[device].registered.begin(at: moment.stamp)
        for message in open where messages[message].target == .tag(devices[device].tag) {
            devices[device].inbox.update(message) { $0.exists.begin(at: moment.stamp) }
        }
    }

    /// The channel is there: sends that start from now on reach it.
    package mutating func didRegister(_ device: Int, at moment: Moment) {
        devices[device].registered.settle(at: moment.stamp)
    }

    /// Whether a send to the device's channel can be started.
    package func isRegistered(_ device: Int) -> Bool {
        devices[device].registered.mustHold(from: Stamp(clock))
    }

    /// The person that is certainly logged in, if any.
    package func person(on device: Int) -> Int? { devices[device].person }

    /// Whether a change of its login was not answered yet.
    package func isLoginInDoubt(of device: Int) -> Bool { devices[device].isChangingLogin }

    /// How many devices show a person, or may.
    package func deviceCount(of person: Int) -> Int { people[person].devices.count }

    /// A device asks to be logged in as a person, or out.
    package mutating func willChangeLogin(of device: Int, to person: Int?, at moment: Moment) {
        devices[device].isChangingLogin = true
        guard let person else { return }
        people[person].created.begin(at: moment.stamp)
        people[person].devices.insert(device)
        guard delivery == .devices else { return }
        for message in open where messages[message].target == .person(person) {
            devices[device].inbox.update(message) { $0.exists.begin(at: moment.stamp) }
        }
    }

    /// The change of login was answered.
    package mutating func didChangeLogin(of device: Int, to person: Int?, at moment: Moment) {
        if let old = devices[device].person, old != person { people[old].devices.remove(device) }
        if let person { people[person].created.settle(at: moment.stamp) }
        devices[device].person = person
        devices[device].loginSettled = moment.stamp
        devices[device].isChangingLogin = false
    }

    // MARK: Messages

    /// A send starts; returns the message's number, which its extras carry.
    ///
    /// - Parameters:
    ///   - named: the person whom its extras name, for a filter.
    ///   - lifeSeconds: from acceptance to expiry; nothing for longer than the run.
    package mutating func willSend(
        to target: Target, naming named: Int? = nil, lifeSeconds: Int64?, at moment: Moment
    ) -> Int {
        let number = messages.count
        messages.append(
            SentMessage(
                target: target, named: named, lifeSeconds: lifeSeconds, place: broadcasts.count, at: moment))
        sighted.append(0)
        open.insert(number)
        if target == .everyone { broadcasts.append(number) }
        for device in audience(of: target) {
            devices[device].inbox.update(number) { $0.exists.begin(at: moment.stamp) }
        }
        if case .person(let person) = target, delivery == .person {
            people[person].inbox.update(number) { $0.exists.begin(at: moment.stamp) }
        }
        return number
    }

    /// A send was accepted.
    ///
    /// - Returns: false if a list showed the same send under another id before: it was sent twice.
    package mutating func didSend(
        _ number: Int, as id: MessageID, isGradual: Bool = false, at moment: Moment
    ) -> Bool {
        if let known = messages[number].id, known != id { return false }
        messages[number].isGradual = isGradual
        messages[number].id = id
        settle(number, at: moment)
        return true
    }

    /// A send was refused: it never happened.
    package mutating func didRefuse(_ number: Int) { open.remove(number) }

    /// A message is about to be taken back.
    package mutating func willRecall(_ number: Int, at moment: Moment) {
        messages[number].recalled.begin(at: moment.stamp)
    }

    /// The recall was accepted.
    package mutating func didRecall(_ number: Int, at moment: Moment) {
        messages[number].recalled.settle(at: moment.stamp)
    }

    /// Whether a recall of the message must be accepted: it is there, stays, and nobody took it back yet.
    package func canRecall(_ number: Int) -> Bool {
        let message = messages[number]
        return message.accepted.isCertain && message.lifeSeconds == nil && !message.recalled.isPossible
    }

    /// How many inboxes an answered send reached, where that cannot be doubted.
    package func certainRecipients(of number: Int) -> Int? {
        switch messages[number].target {
        case .device: return 1
        case .person(let person):
            let isKnown = people[person].created.mustHold(from: messages[number].accepted.possible)
            return delivery == .person && isKnown ? 1 : nil
        case .tag, .everyone: return nil
        }
    }

    // MARK: Who gets what

    /// The message is stored for certain, and so are its deliveries to those who were in the audience all the time.
    mutating func settle(_ number: Int, at moment: Moment) {
        let started = messages[number].accepted.possible
        messages[number].accepted.settle(at: moment.stamp)
        messages[number].known = messages[number].known ?? moment.milliseconds + moment.clock.most
        open.remove(number)
        guard !messages[number].isGradual else { return }
        settleDeliveries(of: number, from: started, at: moment.stamp)
    }

    /// What was delivered in the background must be there too, now that the server had its time.
    package mutating func settleGradual(at moment: Moment) {
        for number in messages.indices where messages[number].isGradual {
            messages[number].isGradual = false
            settleDeliveries(of: number, from: messages[number].accepted.possible, at: moment.stamp)
        }
    }

    private mutating func settleDeliveries(of number: Int, from started: Stamp, at stamp: Stamp) {
        let target = messages[number].target
        for device in audience(of: target) where isCertain(device, in: target, since: started) {
            devices[device].inbox.update(number) { $0.exists.settle(at: stamp) }
        }
        if case .person(let person) = target, delivery == .person,
            people[person].created.mustHold(from: started)
        {
            people[person].inbox.update(number) { $0.exists.settle(at: stamp) }
        }
    }

    /// The devices that may get a message into their own inboxes.
    private func audience(of target: Target) -> [Int] {
        switch target {
        case .device(let device): [device]
        case .person(let person): delivery == .devices ? people[person].devices.sorted() : []
        case .tag(let tag):
            devices.indices.filter {
                devices[$0].tag == tag && devices[$0].registered.mayHold(by: Stamp(clock))
            }
        case .everyone: []
        }
    }

    /// Whether a device was in the audience from `start` until now without a doubt.
    private func isCertain(_ device: Int, in target: Target, since start: Stamp) -> Bool {
        let record = devices[device]
        guard record.registered.mustHold(from: start) else { return false }
        guard case .person(let person) = target else { return true }
        return record.person == person && !record.isChangingLogin && record.loginSettled <= start
    }
}

/// What a server hides, by the person whom a message's extras name.
package enum LedgerFilter: Hashable, Sendable {
    case off
    /// Shown is what names the person who is logged in; with `untargeted`, while somebody is, also what names nobody.
    case on(untargeted: Bool)
}

/// Bounds of the server that a model must know to say what may be missing.
package struct LedgerLimits: Sendable {
    /// Newest deliveries that an inbox keeps, and newest broadcasts that an app keeps.
    package var deliveriesPerInbox = 250
    /// Sends under way at a time, whose order at the server may be another than their numbers'.
    package var sendsUnderWay = 64

    package init() {}
}

/// What is known of one device.
struct DeviceRecord: Sendable {
    let tag: Int
    var registered = Fact()
    /// Who is logged in; certain unless the login is changing.
    var person: Int?
    var loginSettled = Stamp.never
    var isChangingLogin = false
    var inbox = Inbox()

    init(tag: Int) { self.tag = tag }
}

/// What is known of one person.
struct PersonRecord: Sendable {
    /// Since when the server knows the person: messages to an unknown one reach nobody.
    var created = Fact()
    /// Devices on which the person is logged in, or may be.
    var devices: Set<Int> = []
    /// How many batches of marks were ever started on the inbox.
    var marks = 0
    var inbox = Inbox()
}
