import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// A world that nothing outside has a say in: devices with the client's sync core, a network that fails by chance, and
/// a server in memory that keeps the rules by `ReferenceInbox`.
///
/// Time is a number that jumps to what is due next. All chance comes from the plan's seed, so that one plan has one
/// course. People and backends act for the plan's life; then the network heals, all is to settle within
/// `settlingTime`, and every device must show exactly what the reference says.
package struct Simulation: Sendable {
    let plan: SimulationPlan
    let flaw: PhoneFlaw?
    var now = Simulation.start
    var agenda = Agenda<Instant, Due>()
    var server: ModelServer
    /// A server without the lapse of the other, which is told the same; nothing if there is no lapse.
    var honest: ModelServer?
    var apps: [SimulatedApp] = []
    var phones: [Phone] = []
    /// Event streams that the server has open, in the order of opening.
    var streams: [SimulatedStream] = []
    var faults: NetworkRates
    var chronicle: Chronicle
    /// The first thing that was wrong: it ends the world.
    var wrong: Wrong?
    var isOver = false

    static let start = Instant(seconds: 1_800_000_000)
    /// Within this time after the network has healed every device has to be settled.
    static let settlingTime = Duration.seconds(1100)

    /// Something that is due.
    enum Due: Sendable {
        case deed(Int)
        case mail(Int)
        case start(Int)
        case arrive(Int, SentCall, NetworkFault?)
        case answer(Int, SentCall, CallEnd)
        case wake(Int, number: Int)
        case streamOpens(Int, stream: Int)
        case news(Int, stream: Int, StreamNews)
        case sign(Int, stream: Int)
        case heal
        case refreshAll
        case judge
    }

    /// Something that must not be, of a device or of the server alone.
    package struct Wrong: Hashable, Sendable {
        package let phone: Int?
        package let what: String
        package let expected: String
        package let came: String
    }

    /// - Parameter isTelling: whether words are kept, for a story.
    package init(
        _ plan: SimulationPlan, lapse: ModelServer.Lapse? = nil, flaw: PhoneFlaw? = nil,
        isTelling: Bool = false
    ) {
        self.plan = plan
        self.flaw = flaw
        faults = plan.faults
        chronicle = Chronicle(isTelling: isTelling)
        server = ModelServer(now: Simulation.start, lapse: lapse, seed: plan.seed)
        honest = lapse == nil ? nil : ModelServer(now: Simulation.start, seed: plan.seed)
        for (number, settings) in plan.apps.enumerated() {
            _ = honest?.makeApp(settings)
            let keys = server.makeApp(settings)
            apps.append(SimulatedApp(keys, random: SeededRandom.part(400 + number, of: plan.seed)))
        }
        phones = plan.phones.enumerated().map { Phone($0, $1, seed: plan.seed) }
    }

    /// Lets the world run to its end, or to the first thing that is wrong.
    package mutating func run() {
        for app in apps.indices { agenda.add(.mail(app), at: now + .seconds(Int64(app) + 1)) }
        for phone in phones.indices {
            agenda.add(.start(phone), at: now + .milliseconds(100 * phone))
            agenda.add(.deed(phone), at: now + .seconds(Int64(2 + phone)))
        }
        agenda.add(.heal, at: now + plan.life)
        while wrong == nil, !isOver, let (due, item) = agenda.next() {
            now = max(now, due)
            chronicle.fold(UInt64(bitPattern: now.rawValue))
            perform(item)
        }
        if wrong == nil, !isOver { complain(nil, "the world stands still", "something due", "nothing") }
    }

    /// A digest of all that happened.
    package var digest: UInt64 { chronicle.digest }

    /// What happened last to the device that was wrong.
    package func story(atMost lines: Int) -> [String] { chronicle.story(of: wrong?.phone, atMost: lines) }

    private mutating func perform(_ item: Due) {
        switch item {
        case .deed(let phone): actUser(of: phone)
        case .mail(let app): actBackend(of: app)
        case .start(let phone): start(phone)
        case .arrive(let phone, let call, let fault): arrive(call, of: phone, fault)
        case .answer(let phone, let call, let end): deliver(end, to: phone, for: call)
        case .wake(let phone, let number):
            guard phones[phone].wakeCount == number, flaw != .sleepsOn else { return }
            tell(phone, .woken)
        case .streamOpens(let phone, let stream): openStream(stream, of: phone)
        case .news(let phone, let stream, let news): deliver(news, to: phone, on: stream)
        case .sign(let phone, let stream): giveSign(on: stream, of: phone)
        case .heal: heal()
        case .refreshAll: refreshAll()
        case .judge: judgeAll()
        }
    }

    // MARK: For the parts of it

    /// Since the world began.
    var age: Duration { .microseconds(now.rawValue - Simulation.start.rawValue) }

    func time(of phone: Int) -> SyncTime {
        var time = phones[phone].time(at: now, since: Simulation.start)
        if flaw == .keepsExpired { time.wall = time.wall + .seconds(-3600) }
        return time
    }

    mutating func complain(_ phone: Int?, _ what: String, _ expected: String, _ came: String) {
        if wrong == nil { wrong = Wrong(phone: phone, what: what, expected: expected, came: came) }
    }

    mutating func note(_ phone: Int?, _ words: @autoclosure () -> String) {
        chronicle.tell(phone, at: age, words())
    }
    /// Words that the world itself is needed for.
    mutating func note(_ phone: Int?, _ words: (Simulation) -> String) {
        guard chronicle.isTelling else { return }
        let text = words(self)
        chronicle.tell(phone, at: age, text)
    }
}
