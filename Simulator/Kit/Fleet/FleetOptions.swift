/// What a run of a fleet does.
package struct FleetOptions: Sendable {
    package var profile: LoadProfile
    package var devices: Int
    package var people: Int
    /// Of the load, after the devices of the beginning stand.
    package var duration: Duration
    /// Time over which the devices of the beginning arrive.
    package var ramp: Duration
    package var seed: UInt64
    /// Distinguishes the run's people and messages from any other's on the same server.
    package var run: String
    /// What all processes that share the run call it.
    package var sharedRun: String
    /// What the apps are to be set to; nothing leaves an app as it is.
    package var settings: [AppChoice?] = [nil]
    /// Messages a second, over all apps.
    package var sendRate: Double
    /// Event streams that may be open.
    package var mostStreams: Int
    /// Requests that may be under way at a time while devices register and at the end.
    package var workers = 64
    /// How long the server may be away before the run gives up.
    package var rideOut: Duration = .seconds(30)
    /// How long devices may take to settle when all is quiet.
    package var settleWithin: Duration = .seconds(120)
    /// How long a stream may take to tell of a change; nothing if that is not judged.
    package var hintsWithin: Duration? = .seconds(10)
    /// Whether the first difference ends the run.
    package var stopsAtFirst = false

    package init(_ profile: LoadProfile, devices: Int, duration: Duration, seed: UInt64, run: String) {
        self.profile = profile
        self.devices = devices
        self.duration = duration
        self.seed = seed
        self.run = run
        sharedRun = run
        people = max(1, devices / 2)
        ramp = .seconds(max(1, devices / 500))
        sendRate = max(0.2, profile.sendsPerDevice * Double(devices) / 60)
        mostStreams = 15_000
    }

    /// Which devices register before the load begins.
    var arrivals: Arrivals { Arrivals(devices: devices, late: 0.1) }
}

/// What an app is set to for a run.
package struct AppChoice: Hashable, Sendable {
    package var delivery: Delivery
    package var filter: Filter

    /// Who hides what names another person.
    package enum Filter: String, Hashable, Sendable, CaseIterable {
        case off, client, server
    }

    package init(_ delivery: Delivery, _ filter: Filter) {
        self.delivery = delivery
        self.filter = filter
    }

    /// All there are.
    package static let all = Delivery.allCases.flatMap { delivery in
        Filter.allCases.map { AppChoice(delivery, $0) }
    }
}
