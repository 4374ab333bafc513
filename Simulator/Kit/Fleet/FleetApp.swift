import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// One of a run's apps: its secrets, its rules, and what all its inboxes must hold.
struct FleetApp: Sendable {
    let keys: AppKeys
    let calls: AppCalls
    let composition: Composition
    let people: Int
    let tags: Int
    let mix: SendMix
    /// Numbers of its devices in the run.
    let devices: Range<Int>
    var ledger: Ledger
    var filter = NamedUserFilter.off
    /// Devices may not claim to be someone: the backend logs them in.
    var isVerified = false
    /// What was sent, by id: one object for all devices that hold it.
    var contents: [MessageID: MessageContent] = [:]
    var numbers: [MessageID: Int] = [:]
    var changes = ChangeTimes()
    /// What was taken back lately, to be asked for again.
    var recalled: [MessageID] = []
    static let recalledKept = 16
    /// Messages whose send was answered 2xx.
    var answered: Set<Int> = []

    init(_ keys: AppKeys, index: Int, of options: FleetOptions, devices: Range<Int>) {
        self.keys = keys
        self.devices = devices
        calls = AppCalls(keys)
        composition = Composition(run: "\(options.run)-\(index)")
        people = max(1, options.people * devices.count / max(1, options.devices))
        tags = LoadOptions.tags(devices: devices.count)
        // Of the run's messages each app gets its part.
        let sends = options.sendRate * options.duration.inSeconds
        mix = SendMix(
            options.profile, sends: sends * Double(devices.count) / Double(options.devices), tags: tags)
        ledger = Ledger(delivery: .person, tags: [], people: 0)
        begin(.person, LedgerLimits())
    }

    /// Begins anew with a ledger that knows nothing yet, for an app that is set so.
    mutating func begin(_ delivery: Delivery, _ limits: LedgerLimits) {
        let tags = (0..<devices.count).map { $0 % self.tags }
        ledger = Ledger(delivery: delivery, tags: tags, people: people, limits: limits)
    }

    /// What an installation of the app carries.
    var credential: AppCredential { AppCredential(key: keys.key, secret: keys.appSecret) }

    func person(_ number: Int) -> NamedUserID { NamedUserID(stored: composition.person(number)) }

    /// The number of a person by the id.
    func number(of person: NamedUserID?) -> Int? {
        guard let text = person?.text, text.hasPrefix(composition.person(0).dropLast()) else { return nil }
        return Int(text.dropFirst(composition.person(0).count - 1))
    }
}

/// When messages of people were last changed by one of their devices: for how long the others take to know.
struct ChangeTimes: Sendable {
    private var times: [Change: (at: Duration, by: Int)] = [:]
    private static let kept = 20_000

    private struct Change: Hashable {
        let person: Int
        let message: Int
    }

    mutating func note(_ message: Int, of person: Int, by device: Int, at time: Duration) {
        if times.count >= ChangeTimes.kept { times.removeAll(keepingCapacity: true) }
        times[Change(person: person, message: message)] = (time, device)
    }

    /// How long ago another device of the person changed the message; nothing if none did.
    func lag(of message: Int, of person: Int, on device: Int, at time: Duration) -> Duration? {
        guard let change = times[Change(person: person, message: message)], change.by != device else {
            return nil
        }
        return time - change.at
    }
}
