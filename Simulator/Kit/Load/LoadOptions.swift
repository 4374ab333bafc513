/// What a load run does.
package struct LoadOptions: Sendable {
    package var devices: Int
    package var people: Int
    package var duration: Duration
    package var seed: UInt64
    /// What people do; of it counts what devices with a stock library can do.
    let profile = LoadProfile.stock
    /// Distinguishes the run's people and messages from any other's on the same server.
    package var run: String
    /// Nothing: find out by a first send.
    package var delivery: Delivery?
    /// Messages a second.
    package var sendRate: Double
    /// Mean pause of a device between two syncs.
    package var refresh: Duration
    /// Requests that may be under way at a time while devices register and at the end.
    package var workers = 64
    /// How long the server may be away before the run gives up.
    package var rideOut: Duration = .seconds(30)

    package init(devices: Int, duration: Duration, seed: UInt64, run: String) {
        self.devices = devices
        self.duration = duration
        self.seed = seed
        self.run = run
        people = max(1, devices / 2)
        sendRate = LoadOptions.sendRate(devices: devices)
        refresh = LoadOptions.refresh(devices: devices)
    }

    /// Devices that carry one tag: what a server still delivers within the request.
    private static let devicesPerTag = 400

    package var tags: Int { LoadOptions.tags(devices: devices) }

    /// So many that none reaches more devices than one request serves, and at least a few.
    static func tags(devices: Int) -> Int {
        max(4, (devices + LoadOptions.devicesPerTag - 1) / LoadOptions.devicesPerTag)
    }

    /// A twentieth of the devices, from 5 to 200 a second.
    package static func sendRate(devices: Int) -> Double { min(200, max(5, Double(devices) / 20)) }

    /// So long that all devices together sync 500 times a second, a second at least.
    package static func refresh(devices: Int) -> Duration {
        .milliseconds(max(1000, devices * 1000 / 500))
    }

    /// Backends that send at a time, so that slow answers do not soon slow the sending.
    var senders: Int { LoadOptions.senders(rate: sendRate) }

    static func senders(rate: Double) -> Int { min(32, max(4, Int(rate / 10))) }

    /// Pushes in one request, at most.
    static let pushesPerRequest = 5

    /// What is sent over the whole run.
    var mix: SendMix { SendMix(profile, sends: sendRate * duration.inSeconds, tags: tags) }

    /// Which devices register before the load begins.
    var arrivals: Arrivals { Arrivals(devices: devices, late: 0.25) }
}
