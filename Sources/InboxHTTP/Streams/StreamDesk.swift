import Crypto
import EventLoop
import InboxModel
import InboxService

/// What a shard has of streams, and what it is about to do for them.
struct StreamDesk {
    var streams = EventStreams()
    /// There while there are streams.
    var listener: HintListener?
    var timer: LoopTimer?
    /// Turns of the timer so far.
    var turn = 0
    /// Streams whose revisions are to be read.
    var doubted: [EventStream] = []
    var isReadingRevisions = false
    var isReadingApps = false
    /// Streams whose credentials are to be looked up.
    var awaited: [EventStream] = []
    var isLookingUp = false
    /// What is being told to all streams of an app.
    var rounds: [AppID: AppRound] = [:]
    private var eventNumber = 0
    private let eventPrefix = RandomBytes.token22().prefix(6)

    /// An id that no other event has.
    mutating func nextEvent() -> String {
        eventNumber += 1
        return "\(eventPrefix)-\(eventNumber)"
    }
}

/// Telling all streams of an app, some in each pass of the loop.
struct AppRound {
    /// What they are told of; not known before the database has said it.
    private(set) var known: KnownApp?
    private(set) var event: [UInt8] = []
    /// Something happened meanwhile: another round follows.
    var isRepeated = false
    private var bucket = 0
    private var rest: ArraySlice<EventStream> = []

    mutating func begin(_ known: KnownApp, event: [UInt8]) {
        self.known = known
        self.event = event
    }

    /// The next stream, of whatever app; nothing after the last.
    mutating func next(in streams: EventStreams) -> EventStream? {
        while rest.isEmpty {
            guard bucket < EventStreams.bucketCount else { return nil }
            rest = streams[bucket: bucket][...]
            bucket += 1
        }
        return rest.removeFirst()
    }
}
