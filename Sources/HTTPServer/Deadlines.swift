/// When each connection of a loop has waited for long enough.
///
/// The times stand in a column of their own: looking at 20,000 of them touches 160 kB and takes some microseconds.
struct Deadlines {
    /// Nanoseconds of the loop's uptime, by slot.
    private var times: [Int64] = []
    private var owners: [Connection?] = []
    private var free: [Int] = []

    /// Gives a connection a slot, whose time never passes until it is set.
    mutating func add(_ connection: Connection) -> Int {
        if let slot = free.popLast() {
            owners[slot] = connection
            return slot
        }
        times.append(.max)
        owners.append(connection)
        return times.count - 1
    }

    /// Takes a slot back; it may be given to another connection.
    mutating func remove(_ slot: Int) {
        times[slot] = .max
        owners[slot] = nil
        free.append(slot)
    }

    /// Sets the time of a slot.
    mutating func set(_ slot: Int, to time: Int64) {
        times[slot] = time
    }

    /// The connections whose time has passed.
    func passed(at now: Int64) -> [Connection] {
        times.indices.filter { times[$0] < now }.compactMap { owners[$0] }
    }
}

/// What a connection waits for.
enum Phase {
    case request, head, body, answer, stream, sending, closed
}

/// How long a connection may be in each phase, in nanoseconds.
struct Patience {
    private let request: Int64
    private let head: Int64
    private let body: Int64
    private let answer: Int64
    private let sending: Int64

    init(_ limits: HTTPLimits) {
        // Waits are added to times, which are far from what is left.
        func bounded(_ duration: Duration) -> Int64 { min(duration.nanoseconds, .max / 4) }
        request = bounded(limits.idle)
        head = bounded(limits.headWithin)
        body = bounded(limits.bodyWithin)
        answer = bounded(limits.requestWithin)
        sending = bounded(limits.answerWithin)
    }

    subscript(phase: Phase) -> Int64 {
        switch phase {
        case .request: request
        case .head: head
        case .body: body
        case .answer: answer
        case .sending: sending
        case .stream, .closed: .max / 4  // a stream lasts as long as both sides like
        }
    }
}

extension Duration {
    /// Whole nanoseconds; beyond 292 years as many as there are.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooMuch ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
