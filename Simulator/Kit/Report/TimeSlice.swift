/// What happened in one stretch of a run.
package struct TimeSlice: Sendable, Equatable {
    /// Answers by kind of request, at its `position`, 304 included.
    private(set) var requests = [Int](repeating: 0, count: Call.all.count)
    package private(set) var notModified = 0
    /// Of all answers.
    package private(set) var latency = Histogram(precision: Histogram.coarsePrecision)
    package private(set) var errors = ReasonCounts()
    package private(set) var reach = Reach()
    /// From when a message was accepted on one device to when another knew it.
    package private(set) var lag = Histogram(precision: Histogram.coarsePrecision)
    /// Devices that stand, and connections that are open; nothing if nobody looked.
    package private(set) var devices: Int?
    package private(set) var connected: Int?
    /// The simulator's own.
    package private(set) var cpu = CPUShare()
    /// By how much the simulator's own timers were late.
    package private(set) var loopLag = Histogram(precision: Histogram.coarsePrecision)

    package init() {}

    /// Answers of a kind.
    package func count(of call: Call) -> Int { requests[call.position] }

    /// Answers of all kinds.
    package var answers: Int { latency.count }

    // MARK: Telling it

    mutating func answered(_ position: Int, isNotModified: Bool, microseconds: Int64) {
        requests[position] += 1
        if isNotModified { notModified += 1 }
        latency.add(microseconds: microseconds)
    }

    mutating func failed(_ reason: String) { errors.add(reason) }

    mutating func received(microseconds: Int64?) {
        reach.received += 1
        if let microseconds { lag.add(microseconds: microseconds) }
    }

    mutating func learned(after lag: Duration) { self.lag.add(lag) }

    mutating func expected(_ count: Int) { reach.expected += count }

    mutating func sampled(_ sample: OwnSample) {
        devices = sample.devices
        connected = sample.connected
        cpu.add(sample.cpuShare)
        loopLag.add(sample.loopLag)
    }

    // MARK: Joining

    /// Takes in what happened next.
    mutating func join(later: TimeSlice) {
        add(later)
        devices = later.devices ?? devices
        connected = later.connected ?? connected
        cpu.add(later.cpu)
    }

    /// Takes in what another process did at the same time.
    mutating func join(beside other: TimeSlice) {
        add(other)
        devices = sum(devices, other.devices)
        connected = sum(connected, other.connected)
        cpu = max(cpu, other.cpu)
    }

    /// Knows of devices what was last known before, if nobody looked meanwhile.
    mutating func carry(from before: TimeSlice) {
        devices = devices ?? before.devices
        connected = connected ?? before.connected
    }

    private mutating func add(_ other: TimeSlice) {
        for (position, count) in other.requests.enumerated() { requests[position] += count }
        notModified += other.notModified
        latency.merge(other.latency)
        errors.merge(other.errors)
        reach.merge(other.reach)
        lag.merge(other.lag)
        loopLag.merge(other.loopLag)
    }

    private func sum(_ one: Int?, _ other: Int?) -> Int? {
        guard let one else { return other }
        return one + (other ?? 0)
    }
}

extension TimeSlice: Codable {
    private enum Key: String, CodingKey {
        case requests
        case notModified = "not_modified"
        case latency, errors, reach, lag, devices, connected, cpu
        case loopLag = "loop_lag"
    }

    /// Reads what `encode` wrote; what is missing did not happen.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let named = try values.decodeIfPresent([String: Int].self, forKey: .requests) ?? [:]
        for (name, count) in named {
            guard let call = Call(rawValue: name) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .requests, in: values, debugDescription: "no kind of request is named \(name)")
            }
            requests[call.position] = count
        }
        notModified = try values.decodeIfPresent(Int.self, forKey: .notModified) ?? 0
        latency = try values.decodeIfPresent(Histogram.self, forKey: .latency) ?? latency
        errors = try values.decodeIfPresent(ReasonCounts.self, forKey: .errors) ?? errors
        reach = try values.decodeIfPresent(Reach.self, forKey: .reach) ?? reach
        lag = try values.decodeIfPresent(Histogram.self, forKey: .lag) ?? lag
        devices = try values.decodeIfPresent(Int.self, forKey: .devices)
        connected = try values.decodeIfPresent(Int.self, forKey: .connected)
        cpu = try values.decodeIfPresent(CPUShare.self, forKey: .cpu) ?? cpu
        loopLag = try values.decodeIfPresent(Histogram.self, forKey: .loopLag) ?? loopLag
    }

    /// Writes only what happened: most seconds have no error.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        let named = Call.all.filter { count(of: $0) > 0 }.map { ($0.rawValue, count(of: $0)) }
        if !named.isEmpty {
            try values.encode(Dictionary(uniqueKeysWithValues: named), forKey: .requests)
        }
        if notModified > 0 { try values.encode(notModified, forKey: .notModified) }
        if latency.count > 0 { try values.encode(latency, forKey: .latency) }
        if errors.total > 0 { try values.encode(errors, forKey: .errors) }
        if reach != Reach() { try values.encode(reach, forKey: .reach) }
        if lag.count > 0 { try values.encode(lag, forKey: .lag) }
        try values.encodeIfPresent(devices, forKey: .devices)
        try values.encodeIfPresent(connected, forKey: .connected)
        if cpu.samples > 0 { try values.encode(cpu, forKey: .cpu) }
        if loopLag.count > 0 { try values.encode(loopLag, forKey: .loopLag) }
    }
}
