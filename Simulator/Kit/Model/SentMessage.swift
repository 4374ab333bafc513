package import InboxModel

/// Where a new message to people is stored.
package enum Delivery: String, Sendable, CaseIterable {
    /// In the inboxes of the devices on which the person is logged in then.
    case devices
    /// Once, in the person's inbox, which every device shows while that person is logged in.
    case person
}

/// Whom a simulated message is for; devices, people and tags by their number in the run.
package enum Target: Hashable, Sendable {
    case device(Int)
    case person(Int)
    case tag(Int)
    case everyone
}

/// What is known of one message that was sent, or that was tried.
package struct SentMessage: Sendable {
    package let target: Target
    /// Seconds from the server's acceptance to expiry; nothing if it outlives the run.
    package let lifeSeconds: Int64?
    /// Known once the send was answered or a list showed the message.
    package internal(set) var id: MessageID?
    /// That the server has it; a fact about the message, not about who got it.
    package internal(set) var accepted = Fact()
    package internal(set) var recalled = Fact()
    /// The server said that it goes on delivering: only what is seen is certain, until the end.
    package internal(set) var isGradual = false
    /// The person whom its extras name, for a filter; nobody if they name none.
    package let named: Int?
    /// Since when a message to everyone is known to have fallen out.
    var fallen = Stamp.never
    /// Its place among the broadcasts, where it is one.
    let place: Int
    /// The earliest and the latest time at which it may have been accepted, by the server's clock.
    var started: Int64
    var known: Int64?
    /// What devices hand back to have it marked, as JSON, as it was last delivered.
    package var reporting: [UInt8] = []

    init(
        target: Target, named: Int? = nil, lifeSeconds: Int64?, place: Int, at moment: Moment
    ) {
        self.target = target
        self.named = named
        self.lifeSeconds = lifeSeconds
        self.place = place
        started = moment.milliseconds + moment.clock.least
        accepted.begin(at: moment.stamp)
    }

    /// What a second's fraction may add or take: expiry times are whole seconds on the wire.
    private static let grainMilliseconds: Int64 = 1000

    /// Whether an answer that came at `end` may leave it out since it expired.
    func mayHaveExpired(by end: Moment) -> Bool {
        guard let lifeSeconds else { return false }
        return end.milliseconds + end.clock.most >= started + lifeSeconds * 1000
            - SentMessage.grainMilliseconds
    }

    /// Whether an answer to what was started at `start` must leave it out since it expired.
    func mustHaveExpired(by start: Moment) -> Bool {
        guard let lifeSeconds, let known else { return false }
        return start.milliseconds + start.clock.least > known + lifeSeconds * 1000
            + SentMessage.grainMilliseconds
    }
}

/// How far the server's clock was set forward since the run began, in milliseconds: between the two while it is set.
struct ServerClock: Hashable, Sendable {
    var least: Int64 = 0
    var most: Int64 = 0
}
