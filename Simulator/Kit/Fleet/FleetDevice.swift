import HTTPCore
import InboxClient
import InboxModel
import Platform

/// One device of a fleet: what its phone would keep, and what is under way.
struct FleetDevice: Sendable {
    /// Which of the run's apps it carries, and its number among that app's devices.
    let app: Int
    let local: Int
    /// Draws what its user does, so that other devices do not change it.
    var random: SeededRandom
    var core: SyncCore
    var isOnline = true
    /// Its registration was answered.
    var stands = false
    /// It wants an event stream.
    let watches: Bool
    var stream: (any OpenStream)?
    /// How many it has opened.
    var streams: UInt32 = 0
    var hints = HintReader()
    /// Tells the wish of the core to be woken from earlier ones.
    var wakes: UInt32 = 0
    /// When the use was due whose refresh was not answered yet.
    var usedAt: Duration?
    var refreshes = 0
    /// Questions that its user has beside the core's calls; one at a time, and none beside a call.
    var glances: [Glance] = []
    var isGlancing = false
    /// A call of the core that waits for a look to end.
    var held: SyncCall?
    /// The servers went back to an older state, and it has not asked since: who is logged in is not known.
    var isLost = false
    /// Until when an earlier change of its login, which got no answer, may yet happen.
    var loginDoubt = Duration.zero
    /// The last whole list and its validator.
    var kept: (tag: String, list: [Listed])?
    /// Hashes of the validators of the last whole lists: what comes again under one of them tells nothing new.
    private var tags: [Int] = []
    private static let tagsKept = 6
    /// The last batch of marks, as the ledger knows it.
    var ticket: MarkTicket?
    /// From the start to the answer of what it was last checked by.
    var seen: Span?
    /// What it showed then.
    var list: [Listed] = []
    /// When its last request was sent.
    var askedAt = Duration.zero
    /// What its user deleted last.
    var deleted: MessageID?
    /// It was refused something that it needs.
    var hasStopped = false
    var wasCompared = false

    /// Whether something is under way.
    var isBusy: Bool { core.call != nil || isGlancing || held != nil }

    /// Whether a whole list is one that came before, by its validator.
    mutating func knows(_ tag: String?) -> Bool {
        guard let hash = tag?.hashValue else { return false }
        if tags.contains(hash) { return true }
        tags = tags.suffix(FleetDevice.tagsKept - 1) + [hash]
        return false
    }
}

/// A question beside what a core asks.
enum Glance: Hashable {
    case count
    /// The whole list, unless it is still the last one.
    case list
    /// The list in pages of so many.
    case pages(Int)
    /// A part of one message.
    case one(MessageID, MessagePart)
    /// The same of a message that is none of the device's.
    case foreign(MessageID, MessagePart, isOfApp: Bool)
}

/// What can be asked for of a single message.
enum MessagePart: Hashable {
    /// The message as a list shows it.
    case row
    case body

    var call: Call {
        switch self {
        case .row: .message
        case .body: .body
        }
    }

    func path(of message: MessageID) -> String {
        let path = "/v1/inbox/messages/\(message.text)"
        return switch self {
        case .row: path
        case .body: path + "/body"
        }
    }
}
