/// What a device or a backend did, or got to know: with a number of a message or a person.
package enum TraceDeed: UInt8, Sendable {
    case registers, registrationAnswered
    case logsIn, logsOut, loginAnswered
    case reads, unreads, deletes, markAnswered
    case shows, showsNoMore
    case recalls, recallAnswered

    /// Whether its number is that of a message.
    var isOfMessage: Bool {
        switch self {
        case .registers, .registrationAnswered, .logsIn, .logsOut, .loginAnswered: false
        case .reads, .unreads, .deletes, .markAnswered, .shows, .showsNoMore, .recalls, .recallAnswered: true
        }
    }

    /// Whether it only tells that something else is done.
    var isAnswer: Bool {
        switch self {
        case .registrationAnswered, .loginAnswered, .markAnswered, .recallAnswered: true
        case .registers, .logsIn, .logsOut, .reads, .unreads, .deletes, .shows, .showsNoMore, .recalls: false
        }
    }

    init(_ mark: Mark) {
        switch mark {
        case .read: self = .reads
        case .unread: self = .unreads
        case .delete: self = .deletes
        }
    }
}

/// Something that happened in a run, in twelve bytes.
package struct TraceEvent: Hashable, Sendable {
    /// Of the run; enough for seven weeks.
    package let milliseconds: UInt32
    package let number: Int32
    package let deed: TraceDeed

    package init(_ deed: TraceDeed, _ number: Int, at milliseconds: Int64) {
        self.milliseconds = UInt32(clamping: milliseconds)
        self.number = Int32(truncatingIfNeeded: number)
        self.deed = deed
    }
}

/// What each device and each app's backend did last: numbers in rings, so that a run of many devices can keep it.
struct FleetTrace: Sendable {
    /// So many messages of one call are kept one by one; what is done to more concerns none in particular.
    static let few = 6

    /// What is done to messages.
    private var devices: [Ring]
    /// Who is logged in, which matters for longer.
    private var logins: [Ring]
    private var apps: [Ring]

    init(devices: Int, apps: Int) {
        self.devices = Array(repeating: Ring(kept: 16), count: devices)
        logins = Array(repeating: Ring(kept: 6), count: devices)
        self.apps = Array(repeating: Ring(kept: 64), count: apps)
    }

    mutating func note(_ deed: TraceDeed, _ number: Int, of device: Int, at time: Duration) {
        let event = TraceEvent(deed, number, at: time.milliseconds)
        if deed.isOfMessage { devices[device].add(event) } else { logins[device].add(event) }
    }

    mutating func note(_ deed: TraceDeed, _ numbers: [Int], of device: Int, at time: Duration) {
        for number in numbers.prefix(FleetTrace.few) { note(deed, number, of: device, at: time) }
    }

    mutating func note(_ deed: TraceDeed, _ number: Int, ofApp app: Int, at time: Duration) {
        apps[app].add(TraceEvent(deed, number, at: time.milliseconds))
    }

    /// What is still known of a device, oldest first.
    func events(of device: Int) -> [TraceEvent] {
        // An answer whose question is forgotten tells nothing.
        logins[device].inOrder.drop { $0.deed.isAnswer } + devices[device].inOrder
    }

    /// Whether a person logged in on a device lately.
    func hasSeen(_ person: Int, on device: Int) -> Bool {
        logins[device].inOrder.contains { $0.deed == .logsIn && $0.number == Int32(person) }
    }

    /// The same of an app's backend.
    func events(ofApp app: Int) -> [TraceEvent] { apps[app].inOrder }

    /// The last few of many.
    private struct Ring: Sendable {
        let kept: Int
        private var events: [TraceEvent] = []
        private var next = 0

        init(kept: Int) { self.kept = kept }

        mutating func add(_ event: TraceEvent) {
            if events.count < kept {
                if events.isEmpty { events.reserveCapacity(kept) }
                events.append(event)
            } else {
                events[next] = event
                next = next + 1 == kept ? 0 : next + 1
            }
        }

        var inOrder: [TraceEvent] { Array(events[next...] + events[..<next]) }
    }
}
