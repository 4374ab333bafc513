/// Which devices must hear over their open streams that something is another, and by when.
///
/// A value apart from the run. Times are milliseconds of the run. Patience is counted in *looks*, which the run takes
/// at a steady pace: while it stands still itself, none goes by. Nobody is blamed before the server has answered
/// something that it was asked after the patience was over. 24 bytes a device.
struct HintWatch: Sendable {
    /// Looks that a hint may take.
    let patience: UInt32
    private(set) var counts = HintCounts()
    private var ears: [Ear]
    /// Devices whose streams owe something: mostly none.
    private var debtors = 0
    /// How many looks were taken.
    private(set) var look: UInt32 = 1
    /// The latest look at which each server was asked something that it has answered.
    private var answered: [UInt32]

    /// What is known of one device's stream.
    private struct Ear {
        /// Since when it is open.
        var openSince = Ear.never
        /// When it last told of a change.
        var heard: UInt32 = 0
        /// The oldest change that it has not told of, and when that was answered.
        var news: Int32 = 0
        var changed: UInt32 = 0
        /// The look after which it should have; none if nothing is owed.
        var due = Ear.never

        static let never = UInt32.max
    }

    /// A change that a device was not told of.
    struct Missed: Hashable {
        let device: Int
        let message: Int
        /// When it was answered, in milliseconds of the run.
        let changed: Int64
    }

    /// - Parameter servers: devices have their streams at them in turn.
    init(devices: Int, servers: Int, patience: Int) {
        self.patience = UInt32(clamping: patience)
        ears = Array(repeating: Ear(), count: devices)
        answered = Array(repeating: 0, count: servers)
    }

    // MARK: Streams

    /// The device's stream tells of what changes from now on.
    mutating func opened(_ device: Int, at time: Int64) {
        excuse(device)
        ears[device].openSince = UInt32(clamping: time)
    }

    /// It does so no more.
    mutating func closed(_ device: Int) {
        excuse(device)
        ears[device].openSince = Ear.never
    }

    /// It told of a change.
    mutating func heard(_ device: Int, at time: Int64) {
        ears[device].heard = UInt32(clamping: time)
        if settle(device) { counts.heard += 1 }
    }

    /// Whether the stream has been open since before a time.
    func isListening(_ device: Int, since time: Int64) -> Bool {
        ears[device].openSince < UInt32(clamping: time)
    }

    /// Since when the device's stream is open; nothing if it is not.
    func openSince(of device: Int) -> Int64? {
        ears[device].openSince == Ear.never ? nil : Int64(ears[device].openSince)
    }

    // MARK: Changes

    /// A message is another, or is gone, on a device: at some time from `start` to now, when it was answered.
    mutating func changed(_ message: Int, on device: Int, since start: Int64, at now: Int64) {
        // What is owed already is told of by the same hint.
        guard isListening(device, since: start), ears[device].due == Ear.never else { return }
        counts.expected += 1
        guard ears[device].heard < UInt32(clamping: start) else {
            counts.heard += 1
            return
        }
        (ears[device].news, ears[device].changed) = (Int32(message), UInt32(clamping: now))
        ears[device].due = look + patience
        debtors += 1
    }

    /// A server has answered what it was asked at a look.
    mutating func answered(by server: Int, askedAt look: UInt32) {
        answered[server] = max(answered[server], look)
    }

    /// Takes a look: what should have been heard by now and was not.
    mutating func takeLook() -> [Missed] {
        look += 1
        guard debtors > 0 else { return [] }
        var missed: [Missed] = []
        for device in ears.indices where ears[device].due < answered[device % answered.count] {
            missed.append(
                Missed(
                    device: device, message: Int(ears[device].news), changed: Int64(ears[device].changed)))
            settle(device)
        }
        return missed
    }

    /// Forgets what is owed: the servers cannot be blamed for what they were kept from.
    mutating func excuseAll() {
        guard debtors > 0 else { return }
        for device in ears.indices { excuse(device) }
    }

    private mutating func excuse(_ device: Int) { if settle(device) { counts.unjudged += 1 } }

    /// Nothing is owed any more; false if nothing was.
    @discardableResult
    private mutating func settle(_ device: Int) -> Bool {
        guard ears[device].due != Ear.never else { return false }
        ears[device].due = Ear.never
        debtors -= 1
        return true
    }
}
