import Platform

/// Draws the events of a plan, window by window: in each one something is away, and between them there is calm.
struct FaultPlanWriter {
    /// What a window may hold.
    enum Incident: CaseIterable, Hashable {
        case kill, stop, pause, database, databaseClock, clientClock, rates
    }

    /// Long enough that what ends with it has begun before.
    private static let shortestWindow = Duration.milliseconds(200)

    private let duration: Duration
    private let servers: Int
    private var random: SeededRandom
    private let incidents: [Incident]
    private var events: [FaultEvent] = []
    private var clientClock = Duration.zero

    init(duration: Duration, servers: Int, random: SeededRandom) {
        self.duration = duration
        self.servers = servers
        var random = random
        // Swarm: what one scenario leaves out makes room for more of the rest.
        incidents = Incident.allCases.filter { _ in random.chance(1, outOf: 2) }
        self.random = random
    }

    /// All events, by time.
    mutating func write() -> [FaultEvent] {
        let restores = random.chance(1, outOf: 8) && duration >= .seconds(12)
        let dumped = restores ? duration * 0.3 : duration
        fill(from: .zero, to: dumped)
        if restores {
            let restored = duration * 0.7
            events.append(FaultEvent(at: dumped, .takeDump))
            fill(from: dumped, to: restored)
            let restore = random.chance(1, outOf: 2) ? FaultDeed.Restore.whole : .dataAlone
            events.append(FaultEvent(at: restored, .restoreDump(restore)))
            fill(from: restored, to: duration)
        }
        // At one time PostgreSQL comes first: a server does not start without it.
        func order(_ event: (offset: Int, element: FaultEvent)) -> (Duration, Int, Int) {
            (event.element.at, event.element.deed == .startDatabase ? 0 : 1, event.offset)
        }
        return events.enumerated().sorted { order($0) < order($1) }.map(\.element)
    }

    /// Windows within a span, which begins and ends with calm.
    private mutating func fill(from start: Duration, to end: Duration) {
        guard !incidents.isEmpty else { return }
        var time = start + FaultPlan.shortestCalm + upTo(.seconds(4))
        while time + FaultPlan.shortestCalm + FaultPlanWriter.shortestWindow <= end {
            let room = min(end - FaultPlan.shortestCalm - time, FaultPlan.longestOutage)
            time += window(at: time, within: room)
            time += FaultPlan.shortestCalm + upTo(.seconds(4))
        }
    }

    /// One incident, at times two at once; returns when all is back.
    private mutating func window(at time: Duration, within room: Duration) -> Duration {
        let isDouble = random.chance(1, outOf: 4)
        let first = random.element(of: incidents) ?? .rates
        let shortest = FaultPlanWriter.shortestWindow
        let length = first.isOutage ? shortest + upTo(room - shortest) : shortest
        let server = Int.random(in: 0..<servers, using: &random)
        happens(first, to: server, from: time, to: time + length)
        guard isDouble else { return length }
        let second = random.element(of: incidents) ?? .rates
        // A server has one trouble at a time, and a clock is set while PostgreSQL can be asked.
        guard second.isOutage, first.isOutage, second != first, servers > 1 || second == .database else {
            return length
        }
        let later = time + upTo(length - .milliseconds(100))
        happens(second, to: (server + 1) % servers, from: later, to: time + length)
        return length
    }

    private mutating func happens(
        _ incident: Incident, to server: Int, from start: Duration, to end: Duration
    ) {
        func add(_ first: FaultDeed, _ last: FaultDeed) {
            events += [FaultEvent(at: start, first), FaultEvent(at: end, last)]
        }
        switch incident {
        case .kill: add(.killServer(server), .startServer(server))
        case .stop: add(.stopServer(server), .startServer(server))
        case .pause: add(.pauseServer(server), .resumeServer(server))
        case .database: add(.killDatabase, .startDatabase)
        case .databaseClock:
            events.append(FaultEvent(at: start, .stepDatabaseClock(.seconds(draw(1...120)))))
        case .clientClock: stepClientClock(at: start)
        case .rates: events.append(FaultEvent(at: start, .setRates(.swarm(using: &random))))
        }
    }

    private mutating func stepClientClock(at time: Duration) {
        let farthest = Int(FaultPlan.farthestClientClock.components.seconds)
        let next = Duration.seconds(draw(-farthest...farthest))
        guard next != clientClock else { return }
        events.append(FaultEvent(at: time, .stepClientClock(next - clientClock)))
        clientClock = next
    }

    private mutating func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// In tenths of a second, so that words tell it exactly.
    private mutating func upTo(_ longest: Duration) -> Duration {
        .milliseconds(draw(0...max(0, Int(longest.milliseconds / 100))) * 100)
    }
}

extension FaultPlanWriter.Incident {
    /// Whether something is away for its duration.
    var isOutage: Bool {
        switch self {
        case .kill, .stop, .pause, .database: true
        case .databaseClock, .clientClock, .rates: false
        }
    }
}
