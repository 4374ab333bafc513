import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// Many devices with the library's sync core against one server, each answer held against the ledger of its app.
///
/// All on one executor. What users do is due at times that no answer delays: a slow server has as much to do as a fast
/// one. Devices at rest are numbers in a heap; only what is under way has a task.
package actor FleetRun {
    let options: FleetOptions
    nonisolated let ground: FleetGround
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe ground.executor.asUnownedSerialExecutor()
    }

    var apps: [FleetApp]
    var devices: [FleetDevice]
    var agenda = Agenda<Duration, DueMatter>()
    /// One for each app: what is spelled alike is another message there.
    var readers: [PageReader]
    /// Of the phase that is under way.
    var recorder = RunRecorder()
    /// What was counted while the load ran.
    var loadTotals = RunTotals()
    var loadOwn = OwnLoad()
    /// From when a use was due to when the newest was there.
    var refreshes = Histogram()
    var findings = Findings()
    var trace: FleetTrace
    /// What led to the first difference.
    package var story: FleetStory?
    var outage = Outage()
    var isServerAway = false
    var isInterrupted = false
    var checked = 0
    var unanswered = 0
    var openStreams = 0
    /// What streams must tell of; nothing if they are not judged.
    var hintWatch: HintWatch?
    var phase = Phase.arriving
    /// Devices whose comparison has begun.
    var compared = 0
    /// Tasks that are under way, and sends.
    var underWay = 0
    var sending = 0
    /// Nothing new is begun.
    var isHeld = false
    /// What was known when a dump was taken, and whether the servers have gone back to it.
    var remembered: [Ledger] = []
    var wasReturned = false
    /// How far the devices' clocks are from the time of day.
    var deviceClocks = Duration.zero
    /// What the run itself draws.
    var dice: SeededRandom
    /// Ids and secrets of installations, which differ from those of another run with the same seed.
    var identities: SeededRandom
    /// Since when the load runs, and when it ends.
    var loadStart = Duration.zero
    var loadEnd = Duration.zero
    var loadTime = Duration.zero
    let began: Duration
    /// When the load began, by the time of day; before it, the run.
    var started: Instant

    enum Phase: String {
        case arriving, load, settling, comparing, over
    }

    package init(_ options: FleetOptions, apps all: [AppKeys], on ground: FleetGround) {
        precondition(!all.isEmpty && all.count <= options.devices, "each app has a device")
        self.options = options
        self.ground = ground
        var (apps, devices): ([FleetApp], [FleetDevice]) = ([], [])
        for (index, keys) in all.enumerated() {
            let first = devices.count
            let last = options.devices * (index + 1) / all.count
            devices += (first..<last).map { FleetDevice($0, in: index, local: $0 - first, of: options) }
            apps.append(FleetApp(keys, index: index, of: options, devices: first..<last))
        }
        self.apps = apps
        self.devices = devices
        readers = Array(repeating: PageReader(), count: apps.count)
        trace = FleetTrace(devices: devices.count, apps: apps.count)
        hintWatch = options.hintsWithin.map { within in
            HintWatch(
                devices: devices.count, servers: ground.bases.count,
                patience: Int(within / FleetRun.lookInterval))
        }
        dice = SeededRandom.part(-1, of: options.seed)
        identities = SeededRandom(
            seed: options.run.utf8.reduce(options.seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        began = ground.clock.now()
        started = ground.clock.wall()
    }
}

// MARK: Time, and what is under way

extension FleetRun {
    var clock: any RunClock { ground.clock }
    /// Since the run was made.
    var elapsed: Duration { clock.now() - began }
    /// Since the load began; before it, zero.
    var loadTimeNow: Duration { loadStart == .zero ? .zero : clock.now() - loadStart }

    func moment(_ app: Int) -> Moment { apps[app].ledger.moment(at: elapsed.milliseconds) }

    func time() -> SyncTime { SyncTime(wall: deviceTime, uptime: clock.now()) }

    /// The time of day by the devices' clocks.
    var deviceTime: Instant { Instant(rawValue: clock.wall().rawValue + deviceClocks.microseconds) }

    /// Where a device is at home, and keeps its stream.
    func base(of device: Int) -> BaseURL { ground.bases[device % ground.bases.count] }

    /// Where its next request goes: to any instance, since none knows what another does not.
    func anyBase(_ device: Int) -> BaseURL {
        guard ground.bases.count > 1 else { return ground.bases[0] }
        return ground.bases[Int.random(in: 0..<ground.bases.count, using: &devices[device].random)]
    }

    /// Starts what takes time.
    ///
    /// The one unstructured task of a request, as a server has it: a group would keep a record of each for the whole run.
    func begin(_ work: @escaping @Sendable (isolated FleetRun) async -> Void) {
        underWay += 1
        Task(executorPreference: ground.executor) { await self.finish(work) }
    }

    private func finish(_ work: @Sendable (isolated FleetRun) async -> Void) async {
        await work(self)
        underWay -= 1
    }

    /// Lets devices do what is due, until a time; ends early when the run is over.
    func drive(until end: Duration, orWhen isDone: (isolated FleetRun) -> Bool = { _ in false }) async {
        while !isServerAway, !isInterrupted, !isDone(self) {
            let now = clock.now()
            while !isHeld, let due = agenda.nextDue, due <= now, let next = agenda.next() {
                fire(next.item, dueAt: next.due)
            }
            guard now < end else { return }
            let next = min(agenda.nextDue ?? end, end) - now
            do {
                try await clock.sleep(for: min(max(next, FleetRun.shortestPause), FleetRun.longestPause))
            } catch { return }
        }
    }

    /// What becomes due meanwhile waits for the end of a pause.
    private static let longestPause = Duration.milliseconds(5)
    private static let shortestPause = Duration.milliseconds(1)

    /// A pause of this mean, drawn so that events are independent of each other.
    func pause(mean seconds: Double, of device: Int) -> Duration {
        devices[device].random.pause(mean: .seconds(seconds))
    }

    func chance(_ probability: Double, _ device: Int) -> Bool { devices[device].random.chance(probability) }

    func note(_ differences: [Difference]) { for difference in differences { found(difference) } }

    /// Counts a difference; the first one becomes a story, and may end the run.
    func found(_ difference: Difference) {
        if story == nil { story = makeStory(of: difference) }
        findings.add(difference)
        if options.stopsAtFirst { isInterrupted = true }
    }

    /// Takes note of something that is wrong with an answer to a device.
    func wrong(
        _ kind: Difference.Kind, _ device: Int, _ source: String, message: Int? = nil, _ detail: String = ""
    ) {
        found(
            Difference(
                kind, device: device, message: message, in: (source, elapsed.milliseconds), detail: detail))
    }
}

extension FleetDevice {
    init(_ number: Int, in app: Int, local: Int, of options: FleetOptions) {
        self.app = app
        self.local = local
        random = SeededRandom.part(number, of: options.seed)
        watches = Double.random(in: 0..<1, using: &random) < options.profile.watching
        var sync = SyncOptions()
        sync.tellsShown = false
        sync.usesStream = watches
        sync.asksForChanges = !options.profile.wholeLists
        sync.isHasty = options.profile.herdSeconds > 0
        sync.firstPause = .milliseconds(500)
        sync.longestPause = .seconds(20)
        sync.streamPause = .seconds(1)
        sync.longestStreamPause = .seconds(20)
        core = SyncCore(options: sync, seed: random.next())
    }
}
